// A gang whose group selects leaves by pod labels is treated like any other.

#include "unit-tests/engine/support/rig.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::count_of;
using test::Rig;

// Two leaves of two whole-host pods each, selected by the label "part", each in one rack.
model::Group sorting_root(std::int64_t size = 2) {
    model::Group root;
    root.key = {"podgroup", "default/job"};
    root.kind = model::GroupKind::composite;
    root.uid = "uid-job";
    root.api_version = "scheduling.volcano.sh/v1beta1";
    root.api_kind = "PodGroup";
    root.generation = size;
    model::SubGroupSelector parts;
    parts.keys = {"part"};
    parts.leaf.key = {"part", "default/job/p"};
    parts.leaf.parent = model::GroupKey{"policy", "default/job/p"};
    parts.leaf.minimum = size;
    parts.leaf.required = {test::rack_key};
    root.sorts.push_back(parts);
    return root;
}

model::Group policy() {
    model::Group policy;
    policy.key = {"policy", "default/job/p"};
    policy.kind = model::GroupKind::composite;
    policy.parent = model::GroupKey{"podgroup", "default/job"};
    policy.minimum = 2;
    return policy;
}

void add_parts(Rig& rig) {
    for (int part = 0; part < 2; ++part) {
        for (int i = 0; i < 2; ++i) {
            const auto name = fmt::format("job-{}-{}", part, i);
            rig.pod(name, "job");
            rig.label_pod(name, {{"part", std::to_string(part)}});
        }
    }
}

std::set<std::string> racks_of_part(const Rig& rig, int part) {
    std::set<std::string> racks;
    for (const auto& [pod, node] : rig.bound()) {
        if (pod.starts_with(fmt::format("job-{}-", part)))
            racks.insert(node.substr(0, node.rfind('-')));
    }
    return racks;
}

TEST_CASE("leaves that a group selects are planned, held and bound together, and repeated events plan nothing") {
    Rig rig;
    rig.fabric(1, 2, 2);
    rig.add_group("policy", policy());
    rig.add_group("job", sorting_root());
    add_parts(rig);
    rig.synced();
    rig.advance(Time{1000});
    CHECK(count_of(rig.writes, "record job Held") == 1);
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 4);
    CHECK(racks_of_part(rig, 0).size() == 1);
    CHECK(racks_of_part(rig, 1).size() == 1);
    CHECK(count_of(rig.writes, "record job Held") == 1);
    CHECK(count_of(rig.writes, "record job Committed") == 1);
    CHECK(count_of(rig.writes, "look job") == 1);
}

TEST_CASE("pods that come before their group get their leaves when it comes, and are bound with it") {
    Rig rig;
    rig.fabric(1, 2, 2);
    add_parts(rig);
    rig.synced();
    rig.advance(Time{1000});
    CHECK(count_of(rig.writes, "ungate") == 0);
    rig.add_group("policy", policy());
    rig.add_group("job", sorting_root());
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 4);
}

TEST_CASE("a raised minimum per leaf makes all members wait, and a relabelled pod completes its leaf") {
    Rig rig;
    rig.fabric(1, 2, 3);
    rig.add_group("policy", policy());
    rig.add_group("job", sorting_root(3));
    add_parts(rig);
    rig.pod("job-1-2", "job");
    rig.pod("job-0-2", "job");
    rig.label_pod("job-1-2", {{"part", "1"}});
    rig.label_pod("job-0-2", {{"part", "1"}});
    rig.synced();
    rig.advance(Time{1000});
    CHECK(rig.gated("job") == 6);
    rig.label_pod("job-0-2", {{"part", "0"}});
    rig.advance(Time{1000});
    CHECK(rig.gated("job") == 0);
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 6);
    CHECK(racks_of_part(rig, 0).size() == 1);
}

TEST_CASE("after a restart half-way the leaves are the same") {
    Rig rig;
    rig.fabric(1, 2, 2);
    rig.add_group("policy", policy());
    rig.add_group("job", sorting_root());
    add_parts(rig);
    rig.synced();
    rig.advance(Time{1000});
    rig.restart();
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 4);
    CHECK(racks_of_part(rig, 0).size() == 1);
}

}  // namespace
}  // namespace echelon::engine

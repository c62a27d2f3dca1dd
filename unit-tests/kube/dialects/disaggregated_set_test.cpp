#include "kube/dialects/disaggregated_set.hpp"

#include "model/cluster/cluster.hpp"
#include "unit-tests/kube/support/rows.hpp"

#include <string>
#include <vector>

namespace echelon::kube {
namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;
using nlohmann::json;

std::optional<model::Membership> read(const json& more_labels, const json& more_annotations = json::object()) {
    json labels = {{"disaggregatedset.x-k8s.io/name", "d"},          {"disaggregatedset.x-k8s.io/role", "decode"},
                   {"disaggregatedset.x-k8s.io/revision", "r1"},     {"leaderworkerset.sigs.k8s.io/name", "lws"},
                   {"leaderworkerset.sigs.k8s.io/group-index", "2"}, {"leaderworkerset.sigs.k8s.io/group-key", "k"},
                   {"leaderworkerset.sigs.k8s.io/worker-index", "1"}};
    labels.update(more_labels);
    json annotations = {{"leaderworkerset.sigs.k8s.io/size", "4"}};
    annotations.update(more_annotations);
    return membership_of(labels, annotations);
}

TEST_CASE("a slice is a gang: every role, one replica of each (Z16)") {
    const auto member = read({{"disaggregatedset.x-k8s.io/slice", "3"}});
    REQUIRE(member);
    REQUIRE(member->declared.size() == 3);
    const Group& leaf = member->declared[0];
    const Group& role = member->declared[1];
    const Group& root = member->declared[2];
    CHECK(member->leaf == leaf.key);
    CHECK(leaf.key.name == "ns/d/3/r1/decode/2");
    CHECK(leaf.minimum == 4);
    CHECK(leaf.described_by == GroupKey{"leaderworkerset", "ns/lws"});
    CHECK(leaf.parent == role.key);
    CHECK(role.key.name == "ns/d/3/r1/decode");
    CHECK(role.kind == GroupKind::composite);
    CHECK(role.minimum == 1);
    CHECK(role.parent == root.key);
    CHECK(root.key == GroupKey{"disaggregated-set", "ns/d/3/r1"});
    CHECK_FALSE(root.minimum);
    CHECK(root.fewest == 2);  // A role may not have been seen yet.
    CHECK(root.described_by == GroupKey{"disaggregatedset", "ns/d"});
    CHECK(member->rank == 1);
}

TEST_CASE("without a slice it is slice 0, without a role or a replica it is none") {
    CHECK(read(json::object())->declared.back().key.name == "ns/d/0/r1");
    CHECK(read({{"disaggregatedset.x-k8s.io/role", ""}})->leaf == GroupKey{"lws-group", "ns/lws/2"});
    CHECK_FALSE(membership_of({{"disaggregatedset.x-k8s.io/name", "d"}, {"disaggregatedset.x-k8s.io/role", "decode"}}));
}

TEST_CASE("slices and revisions are separate gangs, replicas of a role aren't") {
    const auto root = [](const json& labels) { return read(labels)->declared.back().key.name; };
    CHECK(root({{"disaggregatedset.x-k8s.io/slice", "1"}}) == "ns/d/1/r1");
    CHECK(root({{"disaggregatedset.x-k8s.io/revision", "r2"}}) == "ns/d/0/r2");
    CHECK(root({{"disaggregatedset.x-k8s.io/role", "prefill"}}) == "ns/d/0/r1");
    CHECK(root({{"leaderworkerset.sigs.k8s.io/group-index", "9"}}) == "ns/d/0/r1");
}

TEST_CASE("what can't be read of a replica makes the set Invalid (A3)") {
    const auto first = [](const json& annotations) { return read(json::object(), annotations)->declared.front(); };
    CHECK(first({{"leaderworkerset.sigs.k8s.io/size", "x"}}).problem ==
          "leaderworkerset.sigs.k8s.io/size is \"x\", which isn't a number from 1 on");
    const auto added = read(json::object(), {{"leaderworkerset.sigs.k8s.io/exclusive-topology", "/"}})->declared[1];
    CHECK(added.only_supplements);
    CHECK(added.key.name == "ns/d/0/r1/decode/2");
    CHECK(added.problem ==
          "the annotation leaderworkerset.sigs.k8s.io/exclusive-topology is \"/\", which isn't a label key");
}

TEST_CASE("sub-groups of a replica stay below it") {
    const auto member = read({{"leaderworkerset.sigs.k8s.io/subgroup-index", "1"}},
                             {{"leaderworkerset.sigs.k8s.io/subgroup-size", "2"}});
    REQUIRE(member->declared.size() == 4);
    CHECK(member->leaf.name == "ns/d/0/r1/decode/2/1");
    CHECK(member->declared[0].parent == member->declared[1].key);
    CHECK(member->declared[1].key.name == "ns/d/0/r1/decode/2");
    CHECK(member->declared[1].parent == member->declared[2].key);
}

constexpr const char* version = "disaggregatedset.x-k8s.io/v1";

Group object_in(const std::string& spec) {
    const auto events = decode(group_object(version, "DisaggregatedSet", spec), Change::seen);
    REQUIRE_MESSAGE(events, (events ? "" : events.error().sentence));
    return std::get<model::GroupSeen>(events->front()).group;
}

TEST_CASE("a DisaggregatedSet says how many roles each gang needs (Z16)") {
    const Group set = object_in(R"({"roles": [{"name": "encode"}, {"name": "prefill"}, {"name": "decode"}]})");
    CHECK(set.key == GroupKey{"disaggregatedset", "ns/g"});
    CHECK(set.kind == GroupKind::composite);
    CHECK(set.policy.needs_pods);
    CHECK(set.fewest == 3);
    std::vector<std::string> roles;
    for (const GroupKey& role : set.listed)
        roles.push_back(role.name);
    CHECK(roles == std::vector<std::string>{"ns/g/decode", "ns/g/encode", "ns/g/prefill"});
    CHECK(object_in(R"({"roles": [{"name": "decode"}]})").fewest == 2);
    const auto gone = decode(group_object(version, "DisaggregatedSet", "{}"), Change::gone);
    CHECK(std::get<model::GroupGone>(gone->front()).key == set.key);
}

// The DisaggregatedSet "ns/g" with one slice, and pods of it.
class Slice {
public:
    explicit Slice(const std::string& spec) { apply(group_object(version, "DisaggregatedSet", spec)); }

    void add_pod(const std::string& role, int size = 1) {
        apply({{"apiVersion", "v1"},
               {"kind", "Pod"},
               {"metadata",
                {{"name", role},
                 {"namespace", "ns"},
                 {"uid", role},
                 {"labels",
                  {{"disaggregatedset.x-k8s.io/name", "g"},
                   {"disaggregatedset.x-k8s.io/role", role},
                   {"leaderworkerset.sigs.k8s.io/name", role},
                   {"leaderworkerset.sigs.k8s.io/group-index", "0"},
                   {"leaderworkerset.sigs.k8s.io/group-key", role}}},
                 {"annotations", {{"leaderworkerset.sigs.k8s.io/size", std::to_string(size)}}}}},
               {"spec", json::object()}});
    }
    [[nodiscard]] bool is_gang() const { return !cluster_.roots().empty(); }
    [[nodiscard]] std::string problem() const {
        const auto gang = cluster_.gang(cluster_.roots().front(), cluster_.snapshot());
        return gang.problem ? gang.problem->sentence : "";
    }

private:
    void apply(const json& object) {
        const auto events = decode(object, Change::seen);
        REQUIRE(events);
        for (const auto& event : *events)
            static_cast<void>(cluster_.apply(event));
    }

    model::Cluster cluster_{model::Profiles{{"default-scheduler", {}}}};
};

TEST_CASE("a role that the object doesn't have replaces none that it has (Z16)") {
    Slice slice(R"({"roles": [{"name": "p"}, {"name": "d"}]})");
    CHECK_FALSE(slice.is_gang());
    slice.add_pod("p");
    slice.add_pod("other");
    CHECK(slice.problem() == "group \"ns/g/0//d\", which is listed beside others, doesn't exist yet");
    slice.add_pod("d");
    CHECK(slice.problem() == "");
}

TEST_CASE("a role that an autoscaler may scale to 0 isn't needed while it has no pods (Z16)") {
    const std::string spec = R"({"roles": [{"name": "p"}, {"name": "d", "scaling": {"mode": "External"}}]})";
    Slice slice(spec);
    slice.add_pod("p");
    CHECK(slice.problem() == "");
    slice.add_pod("d", 2);
    CHECK(slice.problem().starts_with("group \"ns/g/0/\" has 1 of at least 2 groups with enough pods"));
    Slice other(spec);
    other.add_pod("d");
    CHECK(other.problem() == "group \"ns/g/0//p\", which is listed beside others, doesn't exist yet");
    Slice scaled(R"({"roles": [{"name": "p", "scaling": {"mode": "External"}},
        {"name": "d", "scaling": {"mode": "External"}}]})");
    scaled.add_pod("d");
    CHECK(scaled.problem() == "");
    Slice fixed(R"({"roles": [{"name": "p"}, {"name": "d", "scaling": {"mode": "Static"}}]})");
    fixed.add_pod("p");
    CHECK(fixed.problem() != "");
}

TEST_CASE("fields of a DisaggregatedSet, row by row (A3)") {
    check_faults(
        version, "DisaggregatedSet",
        {{"roles", R"({"roles": 7})", "spec.roles: must be a list, not 7"},
         {"entry", R"({"roles": [7]})", "spec.roles[0]: must be an object, not 7"},
         {"mode", R"({"roles": [{"name": "a", "scaling": {"mode": "Manual"}}]})",
          "spec.roles[0].scaling.mode: must be Static or External, not \"Manual\""},
         {"name: missing", R"({"roles": [{}]})", "spec.roles[0].name is missing"},
         {"name: number", R"({"roles": [{"name": 7}]})", "spec.roles[0].name: must be a string, not 7"},
         {"name: twice", R"({"roles": [{"name": "a"}, {"name": "a"}]})", "spec.roles[1].name: \"a\" is given twice"}});
}

TEST_CASE("defaults of a DisaggregatedSet, and what of it isn't read") {
    CHECK(object_in("{}").fewest == 2);
    const Group plain = object_in(R"({"roles": [{"name": "a"}]})");
    CHECK(plain.fewest == 2);
    CHECK(object_in(R"({"roles": [{"name": "a", "spec": 7, "replicas": "x"}], "slices": "many", "placementPolicy": 7,
        "later": 1})") == plain);
}

}  // namespace
}  // namespace echelon::kube

// Members that come first, and room for those that come later (H2, H3, H5): where some are missing, or not answered
// for.

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::Rig;

// "both" needs `minimum` of the groups "first" and "second". "first" is for fewer members at first: the others come
// when these have nodes.
struct Both {
    std::int64_t minimum = 1;
    std::int64_t first = 3;  // Members.
    std::int64_t second = 3;
    std::int64_t start_set = 2;  // Of "first".
};

void add_both(Rig& rig, const Both& wanted) {
    auto both = test::composite("both", wanted.minimum);
    both.required = {test::rack_key};
    rig.add_group("both", both);
    rig.gang({"first", wanted.first, ""});
    rig.gang({"second", wanted.second, ""});
    for (const std::string name : {"first", "second"})
        rig.change_gang(name, [&](model::Group& group) { group.parent = both.key; });
    rig.change_gang("first", [&](model::Group& group) {
        group.expected = wanted.first;
        group.start_set = wanted.start_set;
    });
}

// One attempt of kube-scheduler, after the gangs have been planned.
void schedule(Rig& rig) {
    rig.synced();
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
}

TEST_CASE("a gang doesn't wait for a group whose start set isn't whole while another group has all its pods (H3)") {
    Rig rig;
    rig.fabric(1, 1, 3);
    add_both(rig, {});
    rig.pods("first", 0, 1);
    rig.pods("second", 0, 3);
    schedule(rig);
    CHECK(rig.bound().size() == 3);
    CHECK(rig.bound().contains("second-0"));
}

TEST_CASE("a group whose start set is whole may be chosen, with room for its late members (H2)") {
    Rig rig;
    rig.fabric(1, 1, 3);
    add_both(rig, {});
    rig.pods("first", 0, 2);
    schedule(rig);
    CHECK(rig.bound().size() == 2);
}

// A gang of three whole hosts, of which one member exists.
void leader_of_three(Rig& rig) {
    test::late_gang(rig, {"lws", 3, test::rack_key});
    rig.pods("lws", 0, 1);
}

TEST_CASE("room for late members is given back although the first binding isn't answered for longer (H5)") {
    auto options = Rig::default_options();
    options.placeholder_lifetime = Time{60'000};
    Rig rig(options);
    rig.fabric(1, 1, 3);
    leader_of_three(rig);
    rig.synced();
    rig.advance(Time{1000});
    model::Outcome unknown;
    unknown.kind = model::Outcome::Kind::unknown;
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        const bool is_about_pod =
            std::holds_alternative<model::BindPod>(write) || std::holds_alternative<model::ReadPod>(write);
        return is_about_pod ? std::optional(unknown) : std::nullopt;
    };
    rig.schedule_all();
    rig.advance(Time{1000});
    REQUIRE(rig.engine.published()->stats.committed_seats == 3);
    rig.advance(Time{70'000});
    CHECK(rig.engine.published()->stats.committed_seats == 1);
    CHECK(rig.record("lws")->reason == "Incomplete");
    CHECK(std::ranges::none_of(rig.notes, [](const Note& note) { return note.level == Note::Level::bug; }));
    rig.fate = nullptr;
    rig.advance(Time{20'000});
    CHECK(rig.bound().size() == 1);
}

// A pod that says which Job of a JobSet it is of, beside the PodGroup that it names.
void pod_of_job(Rig& rig, const std::string& name, const std::string& job) {
    rig.pod(name, "g");
    rig.change_pod(name, [&job](model::Pod& pod) {
        model::Group more;
        more.key = pod.membership->leaf;
        more.only_supplements = true;
        more.about = model::LabelledPods{"job", job};
        more.described_by = model::GroupKey{"counts", "default/set"};
        pod.membership->declared.edit().push_back(more);
    });
}

model::Group three_pods_a_job() {
    model::Group counts;
    counts.key = {"counts", "default/set"};
    counts.policy.needs_pods = true;
    counts.expected = 3;
    counts.minimum = 1;
    return counts;
}

TEST_CASE("the first pods of exclusive Jobs that name a PodGroup start it, and the others take the seats (H1, H4)") {
    for (const bool job_set_is_last : {false, true}) {
        Rig rig;
        rig.fabric(1, 2, 3);
        rig.gang({"g", 6, ""});
        if (!job_set_is_last)
            rig.add_group("set", three_pods_a_job());
        pod_of_job(rig, "a-0", "a");
        schedule(rig);
        CHECK(rig.bound().empty());  // With one Job there are never six.
        pod_of_job(rig, "b-0", "b");
        if (job_set_is_last) {
            rig.advance(Time{1000});
            CHECK(rig.engine.published()->stats.committed_seats == 0);
            rig.add_group("set", three_pods_a_job());
        }
        rig.advance(Time{1000});
        rig.schedule_all();
        rig.advance(Time{1000});
        CHECK(rig.bound().size() == 2);
        CHECK(rig.engine.published()->stats.committed_seats == 4);
        for (const char* late : {"a-1", "a-2", "b-1", "b-2"})
            pod_of_job(rig, late, std::string(late, 1));
        rig.live(20);
        CHECK(rig.bound().size() == 6);
    }
}

TEST_CASE("without its JobSet a gang waits for all pods that it needs (Z15)") {
    Rig rig;
    rig.fabric(1, 2, 3);
    rig.gang({"g", 3, ""});
    rig.add_group("set", three_pods_a_job());
    rig.remove_gang("set");
    pod_of_job(rig, "a-0", "a");
    schedule(rig);
    CHECK(rig.bound().empty());
}

TEST_CASE("a first member that is replaced while first bindings aren't answered costs late members no room (H5)") {
    Rig rig;
    rig.fabric(1, 1, 4);
    test::late_gang(rig, {"lws", 4, test::rack_key}, 2);
    rig.pods("lws", 0, 2);
    rig.synced();
    rig.advance(Time{1000});
    rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::BindPod>(write); };
    rig.schedule_all();
    rig.advance(Time{1000});
    REQUIRE(rig.engine.published()->stats.committed_seats == 4);
    rig.remove_pod("lws-1");
    rig.advance(Time{1000});
    CHECK(rig.engine.published()->stats.committed_seats == 3);
    rig.pods("lws", 1, 2);
    rig.advance(Time{1000});
    CHECK(rig.engine.published()->stats.committed_seats == 4);
    rig.is_late = nullptr;
    rig.pods("lws", 2, 4);
    rig.live(20);
    CHECK(rig.bound().size() == 4);
}

TEST_CASE("a committed gang that lacks a member binds none to a node that has left its level (I5, B5)") {
    Rig rig;
    rig.node("n0", "b0", "r0", 24);
    add_both(rig, {.minimum = 2, .first = 2, .second = 1, .start_set = 1});
    rig.pods("first", 0, 1);
    rig.pods("second", 0, 1);
    schedule(rig);
    REQUIRE(rig.bound().size() == 2);
    rig.pods("first", 1, 2);
    rig.advance(Time{1000});
    const auto seat = rig.filter("first-1").node;
    REQUIRE(!seat.empty());
    rig.remove_pod("second-0");
    rig.advance(Time{1000});
    rig.change_node(seat, [](model::Node& node) { node.labels.erase(test::rack_key); });
    rig.advance(Time{1000});
    CHECK(rig.filter("first-1").node.empty());
    rig.bind("first-1", seat);
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 1);
}

}  // namespace
}  // namespace echelon::engine

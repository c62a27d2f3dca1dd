// How large a gang may be, put together from all its objects (BD1, BD2): over a bound it alone is Invalid.

#include "model/gang/readiness.hpp"
#include "unit-tests/model/support/facts.hpp"

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

Cluster bounded(const Limits& limits, const std::vector<Event>& events) {
    Cluster cluster(Profiles{{"default-scheduler", Profile{}}}, limits);
    static_cast<void>(cluster.apply(NodeSeen{node("n0")}));
    for (const auto& event : events)
        static_cast<void>(cluster.apply(event));
    return cluster;
}

Group plain_leaf(const std::string& name, const std::string& parent = {}) {
    auto group = leaf(name, 1, parent);
    group.policy.max_depth = 0;
    return group;
}

Group plain_composite(const std::string& name, const std::string& parent = {}) {
    auto group = composite(name, 1, parent);
    group.policy.max_depth = 0;
    return group;
}

// "c1" over "c2" ... over the leaf, `levels` in all.
std::vector<Event> chain(int levels) {
    std::vector<Event> events;
    for (int level = 1; level < levels; ++level)
        events.emplace_back(
            GroupSeen{plain_composite("c" + std::to_string(level), level == 1 ? "" : "c" + std::to_string(level - 1))});
    events.emplace_back(GroupSeen{plain_leaf("leaf", "c" + std::to_string(levels - 1))});
    events.emplace_back(PodSeen{member("p", "leaf")});
    return events;
}

}  // namespace

TEST_CASE("members that aren't created yet count, and over the bound none is made (BD1)") {
    Limits limits;
    limits.members = 100;
    for (const std::int64_t size : {100, 101, 2'147'483'647}) {
        auto group = leaf("train", size);
        group.expected = size;
        group.start_set = 1;
        const auto cluster = bounded(limits, {GroupSeen{group}, PodSeen{member("p0", "train")},
                                              GroupSeen{leaf("sound", 1)}, PodSeen{member("q0", "sound")}});
        const auto gang = gang_of(cluster, leaf_key("train"));
        CHECK(problem_of(cluster, leaf_key("sound")).empty());
        if (size == 100) {
            CHECK_FALSE(gang.problem);
            CHECK(gang.members.size() == 100);
            continue;
        }
        REQUIRE(gang.problem);
        CHECK(gang.problem->reason == Reason::invalid);
        CHECK(gang.problem->sentence == "group \"default/train\": it has " + std::to_string(size) +
                                            " pods, those included that aren't created yet; 100 are allowed "
                                            "(limits.members)");
        CHECK(gang.members.size() == 1);  // The pod that is there.
    }
}

TEST_CASE("announced pods of all groups count, even if none of them gets a placeholder (BD1)") {
    Limits limits;
    limits.members = 100;
    for (const std::int64_t each : {50, 51}) {
        auto one = plain_leaf("one", "root");
        one.expected = each;
        auto two = plain_leaf("two", "root");
        two.minimum = each;
        auto root = plain_composite("root");
        root.minimum = 2;
        const auto cluster =
            bounded(limits, {GroupSeen{root}, GroupSeen{one}, GroupSeen{two}, PodSeen{member("p", "one")}});
        const auto problem = problem_of(cluster, composite_key("root"));
        CHECK(problem.starts_with(each == 50 ? "Incomplete: " : "Invalid: "));
        CHECK(contains(problem, "it has 102 pods, those included") == (each == 51));
    }
}

TEST_CASE("the problem of an object that is too large itself is quoted (BD1)") {
    Limits limits;
    limits.groups = 2;
    auto root = plain_composite("root");
    root.problem = "spec.podgroups: 20000 entries are more than the 2 groups that a gang may have (limits.groups)";
    const auto cluster = bounded(limits, {GroupSeen{root}, GroupSeen{plain_leaf("a", "root")},
                                          GroupSeen{plain_leaf("b", "root")}, PodSeen{member("p", "a")}});
    CHECK(problem_of(cluster, composite_key("root")) == "Invalid: group \"default/root\": " + root.problem);
}

TEST_CASE("a tree with more groups than a gang may have is Invalid, and no more of them are walked (BD1)") {
    Limits limits;
    limits.groups = 20;
    for (const int groups : {20, 21, 5'000}) {
        std::vector<Event> events = {GroupSeen{plain_composite("root")}};
        for (int at = 1; at < groups; ++at)
            events.emplace_back(GroupSeen{plain_leaf("leaf-" + std::to_string(at), "root")});
        events.emplace_back(PodSeen{member("p", "leaf-1")});
        const auto cluster = bounded(limits, events);
        const auto gang = gang_of(cluster, composite_key("root"));
        CHECK(gang.groups.size() == 20);
        REQUIRE(gang.problem.has_value() == (groups > 20));
        if (gang.problem)
            CHECK(gang.problem->sentence == "group \"default/root\": it has more than 20 groups (limits.groups)");
        CHECK(cluster.roots() == std::vector{composite_key("root")});
    }
}

TEST_CASE("a tree deeper than it may be is Invalid, and the way to its root is short (BD1)") {
    Limits limits;
    limits.depth = 5;
    const auto fits = bounded(limits, chain(5));
    CHECK(problem_of(fits, composite_key("c1")).empty());
    const auto exceeds = bounded(limits, chain(6));
    CHECK(problem_of(exceeds, composite_key("c1")) ==
          "Invalid: group \"default/c5\": its tree is deeper than 5 levels with the leaf (limits.depth)");
    // A deeper group has the same fault.
    CHECK(exceeds.root_of(*exceeds.pod("uid-p")) == leaf_key("leaf"));
    CHECK(contains(problem_of(exceeds, leaf_key("leaf")), "its tree is deeper than 5 levels"));
    const auto far = bounded(limits, chain(2'000));
    CHECK(far.root_of(*far.pod("uid-p")) == leaf_key("leaf"));
    CHECK(gang_of(far, composite_key("c1")).groups.size() == 5);
}

TEST_CASE("a cycle keeps its own sentence") {
    auto one = plain_composite("one", "two");
    auto two = plain_composite("two", "one");
    const auto cluster = bounded({}, {GroupSeen{one}, GroupSeen{two}, GroupSeen{plain_leaf("leaf", "two")}});
    CHECK(cluster.roots() == std::vector{composite_key("one")});
    CHECK(contains(problem_of(cluster, composite_key("one")), "its ancestors form a cycle"));
    CHECK(gang_of(cluster, composite_key("one")).groups.size() == 3);
}

TEST_CASE("room that kube-scheduler keeps for a nominated pod is known until the nomination ends") {
    auto victim = bound(pod("victim", 8), "n0");
    auto preemptor = pod("preemptor", 8);
    preemptor.nominated_node = "n0";
    auto cluster = bounded({}, {PodSeen{victim}, PodSeen{preemptor}});
    REQUIRE(cluster.nominations().size() == 1);
    CHECK(cluster.nominations().front().node == "n0");
    CHECK(cluster.nominations().front().pods == std::vector{cluster.pod("uid-preemptor")});
    CHECK(cluster.nominations().front().leaving.empty());
    victim.deleting = true;
    static_cast<void>(cluster.apply(PodSeen{victim}));
    CHECK(cluster.nominations().front().leaving.of("gpu") == 8);
    static_cast<void>(cluster.apply(PodGone{victim.uid}));
    CHECK(cluster.nominations().front().leaving.empty());
    SUBCASE("the nomination is cleared") {
        preemptor.nominated_node.clear();
        CHECK(cluster.apply(PodSeen{preemptor}).may_free_room);
    }
    SUBCASE("it is bound") {
        CHECK_FALSE(cluster.apply(PodSeen{bound(preemptor, "n0")}).may_free_room);
    }
    SUBCASE("it goes") {
        CHECK(cluster.apply(PodGone{preemptor.uid}).may_free_room);
    }
    SUBCASE("it turns out to be a member") {
        auto ours = member("preemptor", "train", 8);
        ours.nominated_node = "n0";
        static_cast<void>(cluster.apply(PodSeen{ours}));
    }
    CHECK(cluster.nominations().empty());
}

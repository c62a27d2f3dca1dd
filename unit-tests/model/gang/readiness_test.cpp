#include "model/gang/readiness.hpp"

#include "unit-tests/model/support/facts.hpp"

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

std::vector<Event> pods_of(const std::string& group, int count) {
    std::vector<Event> events;
    for (int i = 0; i < count; ++i) {
        events.emplace_back(PodSeen{member(group + "-" + std::to_string(i), group)});
    }
    return events;
}

std::vector<Event> joined_events(const std::vector<std::vector<Event>>& parts) {
    std::vector<Event> all;
    for (const auto& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

Cluster joined(const std::vector<std::vector<Event>>& parts) {
    return cluster(joined_events(parts));
}

Group basic(Group group) {
    group.basic = true;
    group.minimum = 1;
    return group;
}

}  // namespace

TEST_CASE("a gang waits until enough pods exist (S16)") {
    const auto group = GroupSeen{leaf("job", 3)};
    CHECK(problem_of(joined({{group}, pods_of("job", 2)}), leaf_key("job")) ==
          "Incomplete: group \"default/job\" has 2 of at least 3 pods");
    CHECK(problem_of(joined({{group}, pods_of("job", 3)}), leaf_key("job")) == "");
}

TEST_CASE("any K of N children that have their pods suffice (M5, N8)") {
    const std::vector<Event> tree = {GroupSeen{composite("root", 2)}, GroupSeen{leaf("a", 2, "root")},
                                     GroupSeen{leaf("b", 2, "root")}, GroupSeen{leaf("c", 2, "root")}};
    CHECK(problem_of(joined({tree, pods_of("b", 2), pods_of("c", 2)}), composite_key("root")) == "");
    CHECK(problem_of(joined({tree, pods_of("b", 2), pods_of("c", 1), pods_of("a", 1)}), composite_key("root")) ==
          "Incomplete: group \"default/root\" has 1 of at least 2 groups with enough pods, \"default/a\" has 1 of at "
          "least 2 pods");
}

TEST_CASE("a leaf of extras is none of the children that a minimum counts (N3, Z19)") {
    auto root = composite("root", 1);
    root.policy.counted_children = 2;
    const std::vector<Event> tree = {GroupSeen{root}, GroupSeen{leaf("a", 2, "root")}, GroupSeen{leaf("b", 2, "root")}};
    const std::vector<Event> extras = joined_events({{GroupSeen{leaf("-", 0, "root")}}, pods_of("-", 1)});
    CHECK(problem_of(joined({tree, extras}), composite_key("root")) ==
          "Incomplete: group \"default/root\" has 0 of at least 1 group with enough pods, \"default/a\" has 0 of at "
          "least 2 pods");
    const auto enough = joined({tree, extras, pods_of("b", 2)});
    CHECK(problem_of(enough, composite_key("root")) == "");
    CHECK(gang_of(enough, composite_key("root")).groups.front().minimum == 2);  // One of two, and the extras.
    CHECK(gang_of(joined({tree, pods_of("b", 2)}), composite_key("root")).groups.front().minimum == 1);
}

TEST_CASE("a composite that states no minimum needs all its children (N7)") {
    auto root = composite("root", 0);
    root.minimum.reset();
    const std::vector<Event> tree = {GroupSeen{root}, GroupSeen{leaf("a", 1, "root")}, GroupSeen{leaf("b", 1, "root")}};
    CHECK(contains(problem_of(joined({tree, pods_of("a", 1)}), composite_key("root")), "1 of at least 2 groups"));
    CHECK(problem_of(joined({tree, pods_of("a", 1), pods_of("b", 1)}), composite_key("root")) == "");
    CHECK(contains(problem_of(cluster({GroupSeen{root}}), composite_key("root")), "no groups below it yet"));
}

TEST_CASE("a basic leaf without pods makes no gang wait, but doesn't count (N5, S11)") {
    const std::vector<Event> tree = {GroupSeen{composite("root", 1)}, GroupSeen{leaf("a", 1, "root")},
                                     GroupSeen{basic(leaf("b", 1, "root"))}};
    CHECK(problem_of(joined({tree, pods_of("a", 1)}), composite_key("root")) == "");
    CHECK(contains(problem_of(cluster(tree), composite_key("root")), "Incomplete"));
    auto both = tree;
    both[0] = GroupSeen{composite("root", 2)};
    CHECK(contains(problem_of(joined({both, pods_of("a", 1)}), composite_key("root")), "Incomplete"));
    CHECK(problem_of(joined({both, pods_of("a", 1), pods_of("b", 1)}), composite_key("root")) == "");
}

TEST_CASE("a group without pods is Incomplete, unless its minimum is 0 (N6, Z5)") {
    CHECK(contains(problem_of(cluster({GroupSeen{leaf("job", 1)}}), leaf_key("job")), "Incomplete"));
    CHECK(problem_of(cluster({GroupSeen{leaf("job", 0)}}), leaf_key("job")) == "");
}

TEST_CASE("the floor counts pods of children that have enough") {
    auto root = composite("root", 1);
    root.floor = 4;
    const std::vector<Event> tree = {GroupSeen{root}, GroupSeen{leaf("a", 2, "root")}, GroupSeen{leaf("b", 3, "root")}};
    CHECK(problem_of(joined({tree, pods_of("a", 2), pods_of("b", 2)}), composite_key("root")) ==
          "Incomplete: group \"default/root\" has 2 of at least 4 pods");
    CHECK(problem_of(joined({tree, pods_of("a", 4)}), composite_key("root")) == "");
}

TEST_CASE("a parent or a group that doesn't exist yet leaves the gang Incomplete (S7, Z4)") {
    CHECK(problem_of(joined({{GroupSeen{leaf("a", 1, "gone")}}, pods_of("a", 1)}), leaf_key("a")) ==
          "Incomplete: group \"default/a\": parent \"default/gone\" doesn't exist yet");
    const auto world = joined({pods_of("a", 1)});
    CHECK(world.roots() == std::vector{leaf_key("a")});
    CHECK(problem_of(world, leaf_key("a")) == "Incomplete: group \"default/a\" doesn't exist yet");
}

TEST_CASE("pods behind a foreign gate don't exist for the minimum, those behind ours do") {
    auto foreign = member("job-1", "job");
    foreign.gates = {gang_gate, "example.com/wait"};
    auto ours = member("job-1", "job");
    ours.gates = {gang_gate};
    const std::vector<Event> base = {GroupSeen{leaf("job", 2)}, PodSeen{member("job-0", "job")}};
    CHECK(problem_of(joined({base, {PodSeen{foreign}}}), leaf_key("job")) ==
          "Incomplete: group \"default/job\" has 1 of at least 2 pods, 1 more wait behind a scheduling gate");
    CHECK(problem_of(joined({base, {PodSeen{ours}}}), leaf_key("job")) == "");
}

TEST_CASE("all members are there when each group has what it declares") {
    auto sized = leaf("a", 2, "root");
    sized.expected = 3;
    const std::vector<Event> tree = {GroupSeen{composite("root", 2)}, GroupSeen{sized},
                                     GroupSeen{leaf("b", 2, "root")}};
    const auto missing = [](const Cluster& cluster) { return missing_members(cluster.facts(composite_key("root"))); };
    CHECK(missing(joined({tree, pods_of("a", 2)})) == 3);
    CHECK(missing(joined({tree, pods_of("a", 3), pods_of("b", 2)})) == 0);
    CHECK(missing(joined({tree, pods_of("a", 4), pods_of("b", 1)})) == 1);
    const auto unknown = joined({{GroupSeen{leaf("a", 2, "root")}}, pods_of("a", 2)});
    CHECK(missing(unknown) == std::nullopt);
}

TEST_CASE("another member may come unless each leaf states its size and has no more") {
    auto sized = leaf("a", 2);
    CHECK(!has_stated_size(joined({{GroupSeen{sized}}, pods_of("a", 2)}).facts(leaf_key("a"))));
    sized.expected = 3;
    CHECK(has_stated_size(joined({{GroupSeen{sized}}, pods_of("a", 3)}).facts(leaf_key("a"))));
    CHECK(!has_stated_size(joined({{GroupSeen{sized}}, pods_of("a", 4)}).facts(leaf_key("a"))));
}

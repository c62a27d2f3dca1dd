// Into which slices of consecutive ranks is a group divided? (Z42)

#include "model/gang/rank_slices.hpp"

#include "model/gang/sub_group_selection.hpp"
#include "unit-tests/model/support/facts.hpp"

#include <string>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace facts;

Pod ranked(int rank, std::int64_t of = -2) {
    auto pod = member("w-" + std::to_string(rank), "work");
    pod.membership->rank = of == -2 ? rank : of;
    return pod;
}

// A group of four pods in slices of two, each in one rack.
Group sliced(std::int64_t minimum = 4) {
    auto group = leaf("work", minimum);
    group.expected = minimum;
    group.multiples = {{rack, 2}};
    group.sorts.push_back(selector_by_rank());
    return group;
}

// "NAME: members" of every group, in order.
std::string tree_of(const Group& group, const std::vector<Pod>& pods, const Limits& limits = {}) {
    Cluster known(Profiles{{"default-scheduler", Profile{}}}, limits);
    static_cast<void>(known.apply(NodeSeen{racked("a0", "a", "r0")}));
    static_cast<void>(known.apply(TopologySeen{topology("fabric", {block, rack})}));
    static_cast<void>(known.apply(GroupSeen{group}));
    for (const auto& pod : pods)
        static_cast<void>(known.apply(PodSeen{pod, {}}));
    const auto gang = gang_of(known, group.key);
    std::string text;
    for (const auto& part : gang.groups) {
        text += (text.empty() ? "" : "; ") + part.key.name + " " + std::to_string(part.minimum) + ":";
        for (auto at = part.first_member; at < part.last_member; ++at)
            text += " " + gang.members[at].pod.substr(gang.members[at].pod.find('-') + 1);
    }
    return text;
}

TEST_CASE("Z42: a slice is a group of consecutive ranks, even if some are missing") {
    CHECK(tree_of(sliced(), {ranked(2), ranked(0), ranked(3), ranked(1)}) ==
          "default/work 2:; default/work/0 2: 0 1; default/work/1 2: 2 3");
    CHECK(tree_of(sliced(), {ranked(3)}) == "default/work 2:; default/work/0 2:; default/work/1 2: 3");
    auto done = ranked(0);
    done.phase = PodPhase::succeeded;
    CHECK(tree_of(sliced(), {done, ranked(1)}) == "default/work 2:; default/work/0 2: 0 1; default/work/1 2:");
}

TEST_CASE("Z42: slices within slices") {
    auto group = sliced();
    group.multiples = {{rack, 4}, {host, 2}};
    CHECK(tree_of(group, {ranked(0), ranked(1), ranked(2), ranked(3)}) ==
          "default/work 1:; default/work/0 2:; default/work/0/0 2: 0 1; default/work/0/1 2: 2 3");
}

TEST_CASE("Z42: where ranks don't tell the slices apart, any pods make one") {
    const std::string bare = "default/work 4: ";
    CHECK(tree_of(sliced(), {ranked(0), ranked(1, -1)}) == bare + "0 1");
    CHECK(tree_of(sliced(), {ranked(0), ranked(1, 0)}) == bare + "0 1");
    auto gone = ranked(1, 0);
    gone.deleting = true;
    CHECK(tree_of(sliced(), {ranked(0), gone}) == "default/work 2:; default/work/0 2: 0; default/work/1 2:");
    auto late = sliced();
    late.start_set = 1;
    CHECK(tree_of(late, {ranked(0)}).starts_with(bare));
    CHECK(tree_of(sliced(3), {ranked(0)}) == "default/work 3: 0");
    Limits few;
    few.groups = 2;
    CHECK(tree_of(sliced(), {ranked(0)}, few) == bare + "0");
    few.groups = 3;
    CHECK(tree_of(sliced(), {ranked(0)}, few) != bare + "0");
}

TEST_CASE("Z42: pods beyond the minimum make further slices") {
    CHECK(tree_of(sliced(2), {ranked(0), ranked(1), ranked(2), ranked(3)}) ==
          "default/work 1:; default/work/0 2: 0 1; default/work/1 2: 2 3");
}

TEST_CASE("Z42: a slice that is incomplete is named") {
    const auto known =
        cluster({NodeSeen{racked("a0", "a", "r0")}, TopologySeen{topology("fabric", {block, rack})},
                 GroupSeen{sliced()}, PodSeen{ranked(0), {}}, PodSeen{ranked(2), {}}, PodSeen{ranked(3), {}}});
    CHECK(problem_of(known, leaf_key("work")) ==
          "Incomplete: group \"default/work\" has 1 of at least 2 groups with enough pods, \"default/work/0\" has 1 of "
          "at least 2 pods");
}

}  // namespace
}  // namespace echelon::model

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

// "NAME MINIMUM: members" of every group, in order.
std::string tree_of(const std::vector<Group>& groups, const std::vector<Pod>& pods, const Limits& limits = {}) {
    Cluster known(Profiles{{"default-scheduler", Profile{}}}, limits);
    static_cast<void>(known.apply(NodeSeen{racked("a0", "a", "r0")}));
    static_cast<void>(known.apply(TopologySeen{topology("fabric", {block, rack})}));
    for (const auto& pod : pods)
        static_cast<void>(known.apply(PodSeen{pod, {}}));
    for (const auto& group : groups)
        static_cast<void>(known.apply(GroupSeen{group}));
    const auto gang = gang_of(known, groups.front().key);
    std::string text;
    for (const auto& part : gang.groups) {
        text += (text.empty() ? "" : "; ") + part.key.name + " " + std::to_string(part.minimum) + ":";
        for (auto at = part.first_member; at < part.last_member; ++at)
            text += " " + gang.members[at].pod.str().substr(gang.members[at].pod.str().find('-') + 1);
    }
    return text;
}

std::string tree_of(const Group& group, const std::vector<Pod>& pods, const Limits& limits = {}) {
    return tree_of(std::vector{group}, pods, limits);
}

// Work of `jobs` Jobs of four pods each, without slices.
std::vector<Group> work_of(std::int64_t jobs, std::int64_t minimum) {
    std::vector<Group> groups = {composite("work", minimum)};
    groups.front().policy.requires_workload_ref = false;
    for (std::int64_t job = 0; job < jobs; ++job) {
        groups.push_back(leaf("work/" + std::to_string(job), 4, "work"));
        groups.back().expected = 4;
    }
    return groups;
}

std::vector<Group> cut_across(std::vector<Group> work, std::int64_t size) {
    work.front().multiples = {{rack, size}};
    work.front().sorts = {selector_across_children()};
    return work;
}

// A pod of a Job that asks for slices, as a pod of a JobSet does; 0: it asks for none.
Pod asking(int job, int rank, std::int64_t size) {
    auto pod = member("w-" + std::to_string(job) + "." + std::to_string(rank), "work/" + std::to_string(job));
    pod.membership->rank = rank;
    if (size > 0) {
        Group asked;
        asked.key = composite_key("work");
        asked.only_supplements = true;
        asked.multiples = {{rack, size}};
        asked.sorts = {selector_across_children()};
        pod.membership->declared.push_back(std::move(asked));
    }
    return pod;
}

TEST_CASE("a slice is a group of consecutive ranks, even if some are missing (Z42)") {
    CHECK(tree_of(sliced(), {ranked(2), ranked(0), ranked(3), ranked(1)}) ==
          "default/work 2:; default/work/0 2: 0 1; default/work/1 2: 2 3");
    CHECK(tree_of(sliced(), {ranked(3)}) == "default/work 2:; default/work/0 2:; default/work/1 2: 3");
    auto done = ranked(0);
    done.phase = PodPhase::succeeded;
    CHECK(tree_of(sliced(), {done, ranked(1)}) == "default/work 2:; default/work/0 2: 0 1; default/work/1 2:");
}

TEST_CASE("slices within slices (Z42)") {
    auto group = sliced();
    group.multiples = {{rack, 4}, {host, 2}};
    CHECK(tree_of(group, {ranked(0), ranked(1), ranked(2), ranked(3)}) ==
          "default/work 1:; default/work/0 2:; default/work/0/0 2: 0 1; default/work/0/1 2: 2 3");
}

TEST_CASE("where ranks don't tell the slices apart, any pods make one (Z42)") {
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

TEST_CASE("pods beyond the minimum make further slices (Z42)") {
    CHECK(tree_of(sliced(2), {ranked(0), ranked(1), ranked(2), ranked(3)}) ==
          "default/work 1:; default/work/0 2: 0 1; default/work/1 2: 2 3");
}

TEST_CASE("ranks that run through all Jobs cut each Job into slices, or join Jobs to one (Z42)") {
    const std::string root = "default/work ";
    CHECK(tree_of(cut_across(work_of(1, 1), 2), {asking(0, 3, 0)}) ==
          root + "1:; default/work/0 2:; default/work/0/0 2:; default/work/0/1 2: 0.3");
    CHECK(tree_of(cut_across(work_of(2, 2), 8), {asking(1, 0, 0)}) ==
          root + "1:; default/work/0-1 2:; default/work/0 4:; default/work/1 4: 1.0");
    CHECK(tree_of(cut_across(work_of(4, 4), 8), {}) ==
          root +
              "2:; default/work/0-1 2:; default/work/0 4:; default/work/1 4:; default/work/2-3 2:; "
              "default/work/2 4:; default/work/3 4:");
}

TEST_CASE("a slice as large as a Job is the Job, which requires the level (Z42)") {
    auto events =
        std::vector<Event>{NodeSeen{racked("a0", "a", "r0")}, TopologySeen{topology("fabric", {block, rack})}};
    for (const auto& group : cut_across(work_of(2, 2), 4))
        events.emplace_back(GroupSeen{group});
    const auto gang = gang_of(cluster(events), composite_key("work"));
    REQUIRE(gang.groups.size() == 3);
    CHECK(gang.groups[0].required.empty());
    CHECK(gang.groups[1].required.size() == 1);
    CHECK(gang.groups[2].required.size() == 1);
}

TEST_CASE("slices of Jobs that differ, of some Jobs or beyond the bound stay multiples of all pods (Z42)") {
    const std::string whole = "default/work 2:; default/work/0 4:; default/work/1 4:";
    auto unlike = cut_across(work_of(2, 2), 8);
    unlike.back().minimum = 3;
    CHECK(tree_of(unlike, {}) == "default/work 2:; default/work/0 4:; default/work/1 3:");
    // Of two Jobs one has succeeded, and it is unknown which.
    CHECK(tree_of(cut_across(work_of(2, 1), 8), {}).starts_with("default/work 1:; default/work/0 4:"));
    Limits few;
    few.groups = 3;
    CHECK(tree_of(cut_across(work_of(2, 2), 8), {}, few) == whole);
    few.groups = 4;
    CHECK(tree_of(cut_across(work_of(2, 2), 8), {}, few) != whole);
}

TEST_CASE("slices that only the pods ask for cut the Jobs like those of the object (Z42)") {
    for (const std::int64_t size : {2, 4, 8}) {
        const auto by_object = tree_of(cut_across(work_of(2, 2), size), {asking(0, 0, 0), asking(1, 1, 0)});
        CHECK(tree_of(work_of(2, 2), {asking(0, 0, size), asking(1, 1, size)}) == by_object);
        CHECK(tree_of(work_of(2, 2), {asking(0, 0, size), asking(1, 1, 0)}) == by_object);
        CHECK(tree_of(cut_across(work_of(2, 2), size), {asking(0, 0, size), asking(1, 1, size)}) == by_object);
    }
}

TEST_CASE("slices of pods that don't divide all pods of the Jobs are invalid (Z42)") {
    std::vector<Event> events{NodeSeen{racked("a0", "a", "r0")}, TopologySeen{topology("fabric", {block, rack})},
                              PodSeen{asking(0, 0, 3), {}}};
    for (const auto& group : work_of(2, 2))
        events.emplace_back(GroupSeen{group});
    CHECK(problem_of(cluster(events), composite_key("work")) ==
          "Invalid: group \"default/work\": slices of 3 pods don't divide the 8 pods");
}

TEST_CASE("a slice that is incomplete is named (Z42)") {
    const auto known =
        cluster({NodeSeen{racked("a0", "a", "r0")}, TopologySeen{topology("fabric", {block, rack})},
                 GroupSeen{sliced()}, PodSeen{ranked(0), {}}, PodSeen{ranked(2), {}}, PodSeen{ranked(3), {}}});
    CHECK(problem_of(known, leaf_key("work")) ==
          "Incomplete: group \"default/work\" has 1 of at least 2 groups with enough pods, \"default/work/0\" has 1 of "
          "at least 2 pods");
}

}  // namespace
}  // namespace echelon::model

#include "model/cluster/cluster.hpp"

#include "unit-tests/model/support/facts.hpp"
#include "unit-tests/model/support/same.hpp"

#include <cstdint>
#include <set>

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

using Roots = std::set<GroupKey>;

std::int64_t gpus_free(const Cluster& cluster, const std::string& node) {
    const auto snapshot = cluster.snapshot();
    const auto gpu = std::ranges::find(snapshot.resources, "gpu") - snapshot.resources.begin();
    return snapshot.room[static_cast<std::size_t>(gpu)][*snapshot.node(node)];
}

Pod finished(Pod pod) {
    pod.phase = PodPhase::succeeded;
    return pod;
}

Pod scheduled_by(Pod pod, std::string scheduler) {
    pod.scheduler_name = std::move(scheduler);
    return pod;
}

}  // namespace

TEST_CASE("facts are found by name") {
    const auto world = cluster({NodeSeen{node("n0")}, PodSeen{member("a-0", "a")}, GroupSeen{leaf("a", 1)}});
    CHECK(world.node("n0")->name == "n0");
    CHECK_FALSE(world.node("n1"));
    CHECK(world.pod("uid-a-0")->name == "a-0");
    CHECK(world.pod("a-0") == nullptr);
    CHECK(world.pod_named("default", "a-0")->uid == "uid-a-0");
    CHECK(world.pod_named("other", "a-0") == nullptr);
    CHECK(world.group(leaf_key("a"))->minimum == 1);
    CHECK(world.group(composite_key("a")) == nullptr);
    CHECK(world.node_count() == 1);
    CHECK(world.pod_count() == 1);
    CHECK(world.group_count() == 1);
}

TEST_CASE("unreadable fields of a node are listed until they are readable or the node is gone") {
    auto world = cluster({NodeSeen{node("n0")}});
    CHECK(world.topology_faults().empty());
    auto broken = node("n0");
    broken.faults = {"metadata.labels.a: must be a string, not 7"};
    world.apply(NodeSeen{broken});
    CHECK(world.topology_faults() == std::vector<std::string>{"Node n0: metadata.labels.a: must be a string, not 7"});
    CHECK(gpus_free(world, "n0") == 8);
    world.apply(NodeSeen{node("n0")});
    CHECK(world.topology_faults().empty());
    world.apply(NodeSeen{broken});
    world.apply(NodeGone{"n0"});
    CHECK(world.topology_faults().empty());
}

TEST_CASE("pods of any scheduler take room while they run, and give it back when they end") {
    auto world = cluster({NodeSeen{node("n0")}, PodSeen{bound(pod("plain", 3), "n0")},
                          PodSeen{scheduled_by(bound(pod("foreign", 1), "n0"), "other")}});
    CHECK(gpus_free(world, "n0") == 4);
    CHECK(world.apply(PodSeen{finished(bound(pod("plain", 3), "n0"))}).may_free_room);
    CHECK(gpus_free(world, "n0") == 7);
    CHECK(world.apply(PodGone{"uid-foreign"}).may_free_room);
    CHECK(gpus_free(world, "n0") == 8);
    CHECK(!world.apply(PodGone{"uid-foreign"}).may_free_room);
}

TEST_CASE("a member that is being deleted takes room until it is gone, but doesn't count") {
    auto leaving = bound(member("a-0", "a", 2), "n0");
    leaving.deleting = true;
    auto world = cluster({NodeSeen{node("n0")}, GroupSeen{leaf("a", 1)}, PodSeen{leaving}});
    CHECK(gpus_free(world, "n0") == 6);
    CHECK(gang_of(world, leaf_key("a")).members.empty());
    world.apply(PodGone{leaving.uid});
    CHECK(gpus_free(world, "n0") == 8);
}

TEST_CASE("a pod bound to a node that isn't known yet counts once the node appears") {
    auto world = cluster({GroupSeen{leaf("a", 1)}, PodSeen{bound(member("a-0", "a", 2), "n0")}});
    CHECK(gang_of(world, leaf_key("a")).members.empty());
    const auto change = world.apply(NodeSeen{node("n0")});
    CHECK(change.gangs == Roots{leaf_key("a")});
    CHECK(change.nodes == std::set<std::string>{"n0"});
    CHECK(gang_of(world, leaf_key("a")).members.size() == 1);
    CHECK(gpus_free(world, "n0") == 6);
    CHECK(world.apply(NodeGone{"n0"}).gangs == Roots{leaf_key("a")});
    CHECK(gang_of(world, leaf_key("a")).members.empty());
}

TEST_CASE("the same name with a new UID means that the earlier pod is gone") {
    auto world = cluster({NodeSeen{node("n0")}, GroupSeen{leaf("a", 1)}, PodSeen{bound(member("a-0", "a", 2), "n0")}});
    auto younger = member("a-0", "a", 2);
    younger.uid = "uid-younger";
    const auto change = world.apply(PodSeen{younger});
    CHECK(change.may_free_room);
    CHECK(change.member_arrived);
    CHECK(world.pod("uid-a-0") == nullptr);
    CHECK(world.pod_named("default", "a-0")->uid == "uid-younger");
    CHECK(gpus_free(world, "n0") == 8);
    world.apply(PodGone{"uid-a-0"});
    CHECK(world.pod_count() == 1);
}

TEST_CASE("the same UID under a new name means that the earlier pod is gone") {
    auto world = cluster({NodeSeen{node("n0")}, GroupSeen{leaf("a", 1)}, PodSeen{bound(member("a-0", "a", 2), "n0")}});
    auto copy = member("a-1", "a", 2);
    copy.uid = "uid-a-0";
    CHECK(world.apply(PodSeen{copy}).may_free_room);
    CHECK(world.pod_named("default", "a-0") == nullptr);
    CHECK(world.pod("uid-a-0")->name == "a-1");
    CHECK(gpus_free(world, "n0") == 8);
    world.apply(PodGone{"uid-a-0"});
    world.apply(PodSeen{bound(member("a-0", "a", 2), "n0")});
    CHECK(world.pod_named("default", "a-0") != nullptr);
    CHECK(world.pod_count() == 1);
}

TEST_CASE("an arrival is a waiting member that is new or lost its foreign gate, and nothing else") {
    auto world = cluster({GroupSeen{leaf("a", 1)}});
    auto gated = member("a-0", "a");
    gated.gates = {"example.com/wait"};
    CHECK(!world.apply(PodSeen{gated}).member_arrived);
    CHECK(world.apply(PodSeen{member("a-0", "a")}).member_arrived);
    auto nominated = member("a-0", "a");
    nominated.nominated_node = "n0";
    CHECK(!world.apply(PodSeen{nominated}).member_arrived);
    CHECK(!world.apply(PodSeen{bound(member("a-1", "a"), "n0")}).member_arrived);
    CHECK(!world.apply(PodSeen{pod("plain")}).member_arrived);
    CHECK(!world.apply(PodSeen{scheduled_by(member("a-2", "a"), "other")}).member_arrived);
}

TEST_CASE("a repeated event changes nothing") {
    const std::vector<Event> events = {NodeSeen{racked("n0", "b0", "r0")},
                                       TopologySeen{topology("fabric", {block, rack})},
                                       PriorityClassSeen{"high", 5},
                                       GroupSeen{composite("root", 1)},
                                       GroupSeen{leaf("a", 1, "root")},
                                       PodSeen{member("a-0", "a")},
                                       PodSeen{bound(member("a-1", "a"), "n0")},
                                       PodSeen{labelled("l-0", "gang", 1)},
                                       PodSeen{bound(pod("plain"), "n0")},
                                       Synced{"pods"}};
    auto world = cluster(events);
    const auto before = written(world);
    for (const auto& event : events) {
        const auto change = world.apply(event);
        CHECK(change.gangs.empty());
        CHECK(change.nodes.empty());
        CHECK(!change.may_free_room);
        CHECK(!change.member_arrived);
    }
    CHECK(written(world) == before);
}

TEST_CASE("a change names the roots as they were and as they are") {
    auto world = cluster({PodSeen{member("a-0", "a")}});
    CHECK(world.apply(GroupSeen{leaf("a", 1, "root")}).gangs == Roots{leaf_key("a")});
    CHECK(world.apply(GroupSeen{composite("root", 1)}).gangs == Roots{leaf_key("a"), composite_key("root")});
    CHECK(world.apply(PodSeen{member("a-1", "a")}).gangs == Roots{composite_key("root")});
    CHECK(world.apply(PodSeen{member("a-1", "b")}).gangs == Roots{composite_key("root"), leaf_key("b")});
    CHECK(world.apply(GroupGone{composite_key("root"), "uid-root"}).gangs ==
          Roots{leaf_key("a"), composite_key("root")});
    CHECK(world.apply(PodGone{"uid-a-1"}).gangs == Roots{leaf_key("b")});
}

TEST_CASE("a change that closes or opens a cycle names every root") {
    auto world = cluster({GroupSeen{composite("b", 1, "c")}, GroupSeen{composite("a", 1, "b")}});
    CHECK(world.roots() == std::vector{composite_key("b")});
    CHECK(world.apply(GroupSeen{composite("c", 1, "a")}).gangs ==
          Roots{composite_key("b"), composite_key("a"), composite_key("c")});
    CHECK(world.roots() == std::vector{composite_key("a")});
    CHECK(world.apply(GroupGone{composite_key("c"), "uid-c"}).gangs.contains(composite_key("b")));
}

TEST_CASE("a class that changes touches the gangs that name it") {
    auto group = leaf("a", 0);
    group.priority_class = "high";
    auto world = cluster({GroupSeen{group}, GroupSeen{leaf("b", 0)}});
    CHECK(world.apply(PriorityClassSeen{"high", 7}).gangs == Roots{leaf_key("a")});
    CHECK(gang_of(world, leaf_key("a")).priority == 7);
    CHECK(world.apply(PriorityClassGone{"high"}).gangs == Roots{leaf_key("a")});
    CHECK(gang_of(world, leaf_key("a")).priority == 0);
}

TEST_CASE("new levels touch the gangs that were Invalid without them") {
    auto group = leaf("a", 1);
    group.required = {rack};
    auto world = cluster({GroupSeen{group}, PodSeen{member("a-0", "a")}, NodeSeen{node("n0")}});
    CHECK(contains(problem_of(world, leaf_key("a")), "Invalid"));
    const auto change = world.apply(NodeSeen{node("n1", {{rack, "r0"}})});
    CHECK(change.topology);
    CHECK(change.may_free_room);
    CHECK(problem_of(world, leaf_key("a")) == "");
    world.apply(NodeGone{"n1"});
    CHECK(contains(problem_of(world, leaf_key("a")), "Invalid"));
    CHECK(world.apply(TopologySeen{topology("fabric", {rack})}).topology);
    CHECK_FALSE(world.apply(TopologySeen{topology("fabric", {rack})}).topology);
    CHECK(problem_of(world, leaf_key("a")) == "");
}

TEST_CASE("a relabelled node touches the gangs that sit on it") {
    auto world = cluster({NodeSeen{racked("n0", "b0", "r0")}, GroupSeen{leaf("a", 1)},
                          PodSeen{bound(member("a-0", "a"), "n0")}, TopologySeen{topology("fabric", {block, rack})}});
    CHECK(world.apply(NodeSeen{racked("n0", "b0", "r1")}).gangs == Roots{leaf_key("a")});
    CHECK(world.snapshot().path(0, 1, 0) == "b0/r1");
}

TEST_CASE("roots stand by priority, then age, then name (Q1)") {
    auto high = leaf("z-high", 0);
    high.priority = 9;
    high.created = 99;
    auto old_one = leaf("y-old", 0);
    old_one.created = 1;
    auto young = leaf("a-young", 0);
    young.created = 2;
    auto twin = leaf("b-young", 0);
    twin.created = 2;
    const auto world = cluster({GroupSeen{twin}, GroupSeen{young}, GroupSeen{old_one}, GroupSeen{high}});
    CHECK(world.roots() ==
          std::vector{leaf_key("z-high"), leaf_key("y-old"), leaf_key("a-young"), leaf_key("b-young")});
}

TEST_CASE("pods of other schedulers are no members, and their groups aren't ours (A5, Z2)") {
    const auto world = cluster({GroupSeen{leaf("theirs", 1)}, PodSeen{scheduled_by(member("t-0", "theirs"), "other")},
                                GroupSeen{leaf("empty", 1)}});
    CHECK(world.roots() == std::vector{leaf_key("empty")});
    CHECK(!world.has_root(leaf_key("theirs")));
    CHECK(!world.root_of(*world.pod("uid-t-0")));
    CHECK(!world.is_ours(*world.pod("uid-t-0")));
}

TEST_CASE("a profile has gangs without levels, levels without gangs, or plain pods (Z34)") {
    Cluster world(
        Profiles{{"plain", Profile{false, false}}, {"flat", Profile{true, false}}, {"levels", Profile{false, true}}});
    auto group = leaf("a", 1);
    group.required = {"example.com/unknown"};
    for (const Event& event : std::vector<Event>{
             NodeSeen{node("n0")}, GroupSeen{group}, GroupSeen{leaf("b", 1)}, GroupSeen{leaf("c", 5)},
             PodSeen{scheduled_by(member("a-0", "a"), "flat")}, PodSeen{scheduled_by(member("c-0", "c"), "levels")},
             PodSeen{scheduled_by(member("b-0", "b"), "plain")}}) {
        world.apply(event);
    }
    CHECK(problem_of(world, leaf_key("a")) == "");
    CHECK(gang_of(world, leaf_key("a")).groups[0].required.empty());
    CHECK(world.is_ours(*world.pod("uid-b-0")));
    CHECK(!world.root_of(*world.pod("uid-b-0")));
    CHECK(!world.has_root(leaf_key("b")));
    // It lacks four pods, and needs none: room for them is a wish.
    CHECK(problem_of(world, leaf_key("c")) == "");
    CHECK(gang_of(world, leaf_key("c")).groups[0].minimum == 0);
    CHECK(gang_of(world, leaf_key("c")).gated_members.size() == 4);
}

TEST_CASE("a gang by labels is as old as its oldest member and goes with its last (Z13)") {
    auto first = labelled("p-0", "gang", 2, "g", 1);
    first.created = 70;
    auto second = labelled("p-1", "gang", 2, "h", 1);
    second.created = 40;
    auto world = cluster({PodSeen{first}, PodSeen{second}});
    const GroupKey root{"label-gang", "default/gang"};
    CHECK(world.roots() == std::vector{root});
    CHECK(gang_of(world, root).created == 40);
    CHECK(gang_of(world, root).groups.size() == 3);
    world.apply(PodGone{"uid-p-1"});
    CHECK(gang_of(world, root).created == 70);
    world.apply(PodGone{"uid-p-0"});
    CHECK(!world.has_root(root));
    CHECK(world.group_count() == 0);
}

TEST_CASE("members of a root are all its pods that are ours") {
    const auto world = cluster({GroupSeen{composite("root", 1)}, GroupSeen{leaf("a", 1, "root")},
                                PodSeen{member("a-0", "a")}, PodSeen{finished(bound(member("a-1", "a"), "n0"))},
                                PodSeen{scheduled_by(member("a-2", "a"), "other")}, PodSeen{pod("plain")}});
    std::vector<std::string> uids;
    for (const auto* pod : world.members_of(composite_key("root")))
        uids.push_back(pod->uid);
    std::ranges::sort(uids);
    CHECK(uids == std::vector<std::string>{"uid-a-0", "uid-a-1"});
}

TEST_CASE("a snapshot doesn't follow the cluster") {
    auto world = cluster({NodeSeen{node("n0")}});
    const auto before = world.snapshot();
    world.apply(PodSeen{bound(pod("plain", 3), "n0")});
    world.apply(NodeSeen{node("n1")});
    CHECK(before.node_count() == 1);
    CHECK(before.room == before.capacity);
}

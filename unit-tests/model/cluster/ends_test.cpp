// When has a pod ended at the latest, as far as anybody has declared it? (Q17)

#include "model/cluster/cluster.hpp"
#include "unit-tests/model/support/facts.hpp"

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

Pod running(const std::string& name) {
    Pod pod;
    pod.uid = pod.name = name;
    pod.ns = "default";
    pod.node = "n0";
    pod.phase = PodPhase::running;
    pod.started = 100;
    return pod;
}

}  // namespace

TEST_CASE("a pod ends by the first deadline: its own, its Job's, its group's (Q17)") {
    GroupSet set{.owner = {"kueue-workload", "default/w"}};
    set.groups = {leaf("w", 1)};
    set.groups.front().ends = 500;
    Cluster world = cluster({NodeSeen{node("n0")}, GroupSetSeen{set}, JobSeen{.uid = "job", .ends = 400}});
    Pod pod = running("p");
    CHECK(world.declared_end(pod) == 0);
    pod.active_deadline = 1000;
    CHECK(world.declared_end(pod) == 1100);
    pod.membership.emplace().leaf = leaf_key("w");
    CHECK(world.declared_end(pod) == 500);
    pod.job = std::string("job");
    CHECK(world.declared_end(pod) == 400);
    pod.active_deadline = 50;
    CHECK(world.declared_end(pod) == 150);
    pod.node.clear();  // Its own deadline has not begun to count.
    CHECK(world.declared_end(pod) == 400);
}

TEST_CASE("pods of nodes are listed while they take room") {
    Pod agent = running("agent");
    agent.is_of_node = true;
    Cluster world = cluster({NodeSeen{node("n0")}, PodSeen{agent}, PodSeen{running("other")}});
    REQUIRE(world.pods_of_nodes().size() == 1);
    CHECK(world.pods_of_nodes().front()->name == "agent");
    agent.phase = PodPhase::succeeded;
    world.apply(PodSeen{agent});
    CHECK(world.pods_of_nodes().empty());
}

TEST_CASE("only pods that take room and have a declared end are listed, and a Job that is gone declares none (Q17)") {
    Pod ends = running("ends");
    ends.job = std::string("job");
    Pod endless = running("endless");
    Pod finished = running("finished");
    finished.phase = PodPhase::failed;
    finished.active_deadline = 10;
    Cluster world = cluster({NodeSeen{node("n0")}, PodSeen{ends}, PodSeen{endless}, PodSeen{finished}});
    CHECK(world.declared_ends().empty());
    CHECK(world.apply(JobSeen{.uid = "job", .ends = 400}).may_free_room);
    CHECK_FALSE(world.apply(JobSeen{.uid = "job", .ends = 400}).may_free_room);
    REQUIRE(world.declared_ends().size() == 1);
    CHECK(world.declared_ends().front().pod->name == "ends");
    CHECK(world.declared_ends().front().at == 400);
    world.apply(JobGone{"job"});
    CHECK(world.declared_ends().empty());
}

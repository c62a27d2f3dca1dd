// Profiles that change under a cluster: the answers are those of a cluster that had them from the start.

#include "model/cluster/cluster.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::model {
namespace {

void fill(Cluster& cluster) {
    Node node;
    node.name = "n0";
    node.allocatable = {{"gpu", 8}, {"pods", 100}};
    static_cast<void>(cluster.apply(NodeSeen{node}));
    for (const std::string gang : {"a", "b"}) {
        Group group;
        group.key = {"podgroup", "default/" + gang};
        group.minimum = 2;
        static_cast<void>(cluster.apply(GroupSeen{group}));
        for (int i = 0; i < 3; ++i) {
            Pod pod;
            pod.uid = pod.name = fmt::format("{}-{}", gang, i);
            pod.ns = "default";
            pod.scheduler_name = gang == "a" ? "first" : "second";
            pod.pod_class.requests = {{"gpu", i + 1}, {"pods", 1}};
            pod.membership = Membership{group.key, {}, -1, {}};
            static_cast<void>(cluster.apply(PodSeen{pod}));
        }
    }
}

// All that a report could tell of the gangs.
std::string told(const Cluster& cluster) {
    std::string out;
    const auto snapshot = cluster.snapshot();
    for (const auto& root : cluster.roots()) {
        const auto gang = cluster.gang(root, snapshot);
        out += root.name + ":";
        for (const auto& member : gang.members)
            out +=
                fmt::format(" {}/{}", member.pod, snapshot.pod_classes.at(member.pod_class).requests.entries().size());
        const auto members = cluster.members_of(root);
        out += fmt::format(" {}\n", std::set(members.begin(), members.end()).size());
    }
    return out + fmt::format("{} shapes\n", snapshot.pod_classes.size());
}

TEST_CASE("a cluster with changed profiles equals one that had them from the start") {
    const Profiles choices[] = {
        {{"first", {}}},
        {{"first", {}}, {"second", {}}},
        {{"second", {true, false}}},
        {{"first", {false, true}}, {"second", {}}},
        {},
    };
    for (const auto& before : choices) {
        for (const auto& after : choices) {
            Cluster changed(before);
            fill(changed);
            const auto change = changed.reprofile(after);
            Cluster fresh(after);
            fill(fresh);
            CHECK(told(changed) == told(fresh));
            // Whatever was or is there is named.
            Cluster old(before);
            fill(old);
            for (const auto& root : old.roots())
                CHECK(change.gangs.contains(root));
            for (const auto& root : fresh.roots())
                CHECK(change.gangs.contains(root));
            static_cast<void>(changed.reprofile(before));
            CHECK(told(changed) == told(old));
        }
    }
}

}  // namespace
}  // namespace echelon::model

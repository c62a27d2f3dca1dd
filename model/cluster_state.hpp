#pragma once

// What the cluster keeps: pods with their places in the indexes, beside the forest of groups and the landscape of
// nodes.
//
// Invariants:
// 1. A pod that occupies its node is counted in the landscape, under the name of the node, known or not.
// 2. A pod with a membership stands in its leaf; one that is ours also declares the groups that exist only by pods, and
//    while it may be seated or sits somewhere, holds its shape.
// 3. `by_name` leads to the one pod that bears the name now.

#include "model/cluster.hpp"
#include "model/forest.hpp"
#include "model/gang_facts.hpp"
#include "model/group_sets.hpp"
#include "model/landscape.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace echelon::model {

struct Cluster::State {
    struct PodRow {
        Pod pod;
        std::optional<Landscape::Shape> shape;
    };
    // The pods that name one group.
    struct Leaf {
        std::unordered_set<const PodRow*> ours;
        std::unordered_set<const PodRow*> foreign;  // Of other schedulers, or of a profile without gangs.

        [[nodiscard]] bool empty() const { return ours.empty() && foreign.empty(); }
    };

    Profiles profiles;
    Forest forest;
    GroupSets sets;
    Landscape landscape;
    PriorityClasses classes;
    std::unordered_map<std::string, PodRow> pods;            // By UID; rows don't move.
    std::unordered_map<std::string, const PodRow*> by_name;  // By "namespace/name".
    std::map<GroupKey, Leaf> leaves;
    std::unordered_map<std::string, std::unordered_set<const PodRow*>> members_on;  // By node: pods with a membership.

    // Events.
    void on(const NodeSeen& event, Change& change);
    void on(const NodeGone& event, Change& change);
    void on(const PodSeen& event, Change& change);
    void on(const PodGone& event, Change& change);
    void on(const GroupSeen& event, Change& change);
    void on(const GroupGone& event, Change& change);
    void on(const GroupSetSeen& event, Change& change);
    void on(const GroupSetGone& event, Change& change);
    void on(const TopologySeen& event, Change& change);
    void on(const TopologyGone& event, Change& change);
    void on(const PriorityClassSeen& event, Change& change);
    void on(const PriorityClassGone& event, Change& change);

    // Pods.
    void remove(const PodRow& row, Change& change);
    void note_arrival(const Pod* before, const Pod& after, Change& change) const;
    void enter_leaf(PodRow& row);
    void leave_leaf(PodRow& row);
    void touch_root(const Pod& pod, Change& change) const;
    [[nodiscard]] bool takes_part(const Pod& pod) const;  // Ours, with gangs on, and names a group.

    // Groups.
    void touch_around(const GroupKey& key, Change& change) const;
    void after_set(const std::vector<GroupKey>& touched, Change& before, Change& change);
    void touch_all(Change& change) const;
    void touch_users_of_class(const std::string& name, Change& change) const;
    void on_node_news(const std::string& name, const NodeNews& news, Change& change);

    // Answers.
    [[nodiscard]] bool has_root(const GroupKey& root) const;
    [[nodiscard]] GangFacts facts_of(const GroupKey& root) const;
    void compare_lists(GroupFacts& group) const;
    [[nodiscard]] bool wants_levels(const GangFacts& facts) const;
    [[nodiscard]] std::int64_t created_of(const GangFacts& facts) const;
};

}  // namespace echelon::model

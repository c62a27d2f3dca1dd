#pragma once

// What does the cluster store? Pods with their indexes, the forest of groups, and the index of nodes.
//
// Invariants:
// 1. A pod that occupies its node is counted in `node_index` under the node's name, even if the node is unknown.
// 2. A pod with a membership is in its leaf. If it is ours, it also declares the groups that exist only by pods, and
//    holds its class while it may have a seat, now or later.
// 3. `by_name` has the one pod that has the name now.
// 4. The stored membership of a pod names the leaf that its group selects (`cluster_selection.cpp`). Pods that name no
//    group are in the leaf of a group that names them (`cluster_pod_names.cpp`).
// 5. A pod that occupies its node is in `standing` under its namespace, and its anti-affinity in
//    `pods_with_anti_affinity`.
// 6. A waiting pod with claims is stored as `devices` resolves it. A known node offers its devices, and those of claims
//    count as used there; `offered` has both.

#include "model/cluster/cluster.hpp"
#include "model/cluster/node_index.hpp"
#include "model/devices/device_index.hpp"
#include "model/facts/string_pool.hpp"
#include "model/gang/forest.hpp"
#include "model/gang/gang_facts.hpp"
#include "model/gang/group_roots.hpp"
#include "model/gang/group_sets.hpp"
#include "model/gang/sub_group_selection.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace echelon::model {

struct Cluster::State {
    struct PodRow {
        // For a bound pod without a membership, `shape` has only requests; nothing else is needed.
        Pod pod;
        StringPool::LabelEntry labels;
        NodeIndex::Shape shape;   // Only if `has_shape`. A std::optional would cost eight bytes more per pod.
        std::uint32_t place = 0;  // Index in `standing`, while it occupies a node.
        bool has_shape = false;
        bool is_named_by_group = false;  // Its membership comes from a group, not from the pod.
    };
    // Hash and equality by the pod's own text, so that no name is stored twice.
    struct ByUid {
        using is_transparent = void;
        static std::string_view key(std::string_view uid) { return uid; }
        static std::string_view key(const std::unique_ptr<PodRow>& row) { return row->pod.uid; }
        std::size_t operator()(const auto& of) const { return std::hash<std::string_view>()(key(of)); }
        bool operator()(const auto& a, const auto& b) const { return key(a) == key(b); }
    };
    struct ByName {
        using is_transparent = void;
        using Name = std::pair<std::string_view, std::string_view>;  // Namespace and name.
        static Name key(const Name& name) { return name; }
        static Name key(const PodRow* row) { return {row->pod.ns, row->pod.name}; }
        std::size_t operator()(const auto& of) const {
            const auto [ns, name] = key(of);
            return std::hash<std::string_view>()(ns) * 31 + std::hash<std::string_view>()(name);
        }
        bool operator()(const auto& a, const auto& b) const { return key(a) == key(b); }
    };
    // The pods that name one group.
    struct Leaf {
        std::unordered_set<const PodRow*> ours;
        std::unordered_set<const PodRow*>
            foreign;  // Pods of other schedulers, or of a profile without gangs and levels.
        std::map<std::string, std::size_t> attempts;  // Attempt -> how many of `ours`.
        std::size_t without_attempt = 0;              // How many of `ours` have none; most pods.

        [[nodiscard]] bool has_several_attempts() const;
        void forget_attempt(const std::string& attempt);
        [[nodiscard]] bool empty() const { return ours.empty() && foreign.empty(); }
    };

    State(Profiles p, const Limits& l) : profiles(std::move(p)), limits(l), forest(l.depth) {}

    Profiles profiles;
    Limits limits;
    GroupForest forest;
    GroupSets sets;
    NodeIndex node_index;
    PriorityClasses classes;
    std::map<std::string, std::map<std::string, DisruptionBudget>, std::less<>> budgets;  // By namespace and name.
    std::unordered_set<std::unique_ptr<PodRow>, ByUid, ByUid> pods;
    std::unordered_set<const PodRow*, ByName, ByName> by_name;
    std::map<GroupKey, Leaf> leaves;
    std::unordered_map<std::string, std::unordered_set<const PodRow*>> members_on;  // Node -> pods with a membership.

    std::map<std::string, std::vector<std::string>> node_faults;  // Node -> fields that can't be read.

    // Groups that select leaves for the pods that name them.
    struct SelectorIndex {
        GroupKey group;  // The group that the pods name.
        bool is_made = false;
    };
    std::set<GroupKey> groups_with_selectors;
    std::map<GroupKey, std::set<GroupKey>> selected_leaves;  // Group -> leaves with its pods.
    std::map<GroupKey, SelectorIndex> selector_index;        // Leaf -> its group.

    // Groups that name their pods (Z36).
    std::map<GroupKey, std::map<std::string, GroupKey>> names_in;  // Group -> full name of a pod -> its leaf.
    std::map<std::string, std::set<GroupKey>, std::less<>>
        named_pods;  // Full name of a pod -> leaves; the first one gets it.

    std::map<GroupKey, NodeIndex::Shape> late_shapes;  // Of members that aren't created yet (H1).

    struct ByPodUid {
        bool operator()(const PodRow* a, const PodRow* b) const { return a->pod.uid < b->pod.uid; }
    };
    using Rows = std::set<const PodRow*, ByPodUid>;
    std::map<std::string, Rows, std::less<>> nominated;  // Node -> pods of no gang that wait for room there.
    std::map<std::string, Rows, std::less<>> leaving;    // Node -> pods on it that are being deleted.

    // Pod (anti-)affinity (D14).
    StringPool strings;
    std::unordered_map<std::string, std::vector<PodRow*>> standing;  // Namespace -> pods that occupy a node; unordered.
    std::map<PodTerm, std::map<std::string, std::size_t>>
        pods_with_anti_affinity;                                // Term -> node -> how many pods on it have the term.
    std::size_t pods_with_affinity = 0;                         // Pods with terms.
    std::map<std::string, std::size_t> affinity_topology_keys;  // topologyKeys of members' affinity terms.
    std::uint64_t affinity_version = 0;                         // Changes with the set of keys.
    std::uint64_t asked_version = 0;

    DeviceIndex devices;
    std::map<std::string, DeviceIndex::Offer, std::less<>> offered;  // Known node -> what devices add to it.

    // Co-located gangs (X5): root -> leaves that name it as their anchor -> how many pods do.
    std::map<GroupKey, std::map<GroupKey, std::size_t>> co_located_leaves;

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
    void on(const DomainSeen& event, Change& change);
    void on(const DomainGone& event, Change& change);
    void on(const PriorityClassSeen& event, Change& change);
    void on(const PriorityClassGone& event, Change& change);
    void on(const BudgetSeen& event, Change& change);
    void on(const BudgetGone& event, Change& change);
    void on(const DeviceSliceSeen& event, Change& change);
    void on(const DeviceSliceGone& event, Change& change);
    void on(const DeviceClassSeen& event, Change& change);
    void on(const DeviceClassGone& event, Change& change);
    void on(const DeviceClaimSeen& event, Change& change);
    void on(const DeviceClaimGone& event, Change& change);
    void on(const DeviceTemplateSeen& event, Change& change);
    void on(const DeviceTemplateGone& event, Change& change);

    // Devices (`cluster_devices.cpp`).

    // Counts the devices of the node that claims have, and returns what all devices add to it. `plugin`: its other
    // amounts.
    Amounts offer(const std::string& node, const Amounts& plugin);
    void withdraw(const std::string& node);
    void note_taken(const std::string& node, const Amounts& before, Change& change) const;
    [[nodiscard]] std::set<std::string> device_warnings(const Pod& pod) const;
    [[nodiscard]] std::set<std::string> device_warnings(const GangFacts& facts) const;
    void apply_devices(const DeviceIndex::Delta& delta, Change& change);

    // Pods.

    // Compared before and after a pod's event, to see if only that pod changed.
    struct Rest {
        std::uint64_t forest = 0;
        bool depends_on_pod =
            false;  // The pod runs, has ended, or may turn others into members of an earlier attempt (M1).
    };
    [[nodiscard]] Rest rest_of(const std::string& uid) const;
    void see(const PodSeen& event, Change& change);
    void on_resolved(const PodSeen& event, Change& change);             // With its claims resolved.
    void on_pod(const Pod& pod, const Labels& labels, Change& change);  // `pod` with the selected leaf.
    void remove(const PodRow& row, Change& change);
    void note_arrival(const Pod* before, const Pod& after, Change& change) const;
    void enter_leaf(PodRow& row);
    void leave_leaf(PodRow& row);
    void retain_late_class(const GroupKey& key);
    void keep_late_shapes(const GroupKey& key);
    void note_nomination(const PodRow& row, bool comes);
    void index_pod(PodRow& row);
    void unindex_pod(PodRow& row);
    void ask_levels();
    void mark_root_changed(const Pod& pod, Change& change) const;
    // A pod's declarations may change trees: called before and after the change.
    void mark_declared_changed(const Pod& pod, Change& change) const;
    [[nodiscard]] bool is_tracked(const Pod& pod) const;  // Ours, with gangs or levels, and has a group.

    // Selection of leaves.
    [[nodiscard]] std::optional<SelectedLeaf> leaf_of(const PodSeen& event) const;
    [[nodiscard]] bool is_selected_elsewhere(
        const GroupKey& group) const;  // No pod that names it is in it or below it.
    void add_selected_leaf(const GroupKey& group, const SelectedLeaf& leaf, Change& change);
    void remove_selected_leaf(const GroupKey& leaf, Change& change);  // Only if no pod is left in it.
    void reselect_pods(const GroupKey& group, Change& change);        // After the group came, went or changed.

    // Pods that name no group, and groups that name them.
    [[nodiscard]] std::optional<Membership> given_membership(const Pod& pod) const;  // For a pod that names no group.
    void name_pods(const GroupKey& group, Change& change);                // After the group came, went or changed.
    void renew_given_membership(const std::string& pod, Change& change);  // `pod`: full name.

    // Groups.
    void mark_neighbours_changed(const GroupKey& key, Change& change) const;
    void mark_neighbours_changed(const GroupKey& key, GroupRoots& roots, Change& change) const;
    void mark_neighbours_changed(const std::vector<GroupKey>& keys, Change& change) const;
    void apply_group_set_difference(const std::vector<GroupKey>& touched, Change& before, Change& change);
    void mark_priority_class_users_changed(const std::string& name, Change& change) const;
    void apply_node_delta(const std::string& name, const NodeDelta& delta, Change& change);

    // Answers.
    [[nodiscard]] bool has_root(const GroupKey& root) const;
    [[nodiscard]] std::vector<Branch> tree_of(
        const GroupKey& root) const;  // At most one group more than a gang may have.
    [[nodiscard]] GangFacts facts_of(const GroupKey& root, const RunningBefore* ran_before = nullptr) const;
    void check_gang_group_lists(GroupFacts& group) const;
    void wait_for_claims(GroupFacts& group) const;
    // True if only younger pods declare this list of gangs: the oldest pod decides, and has another one.
    [[nodiscard]] bool is_ignored_kind(const GroupKey& lister) const;
    [[nodiscard]] bool requests_levels(const GangFacts& facts) const;
    [[nodiscard]] bool is_loose(const GangFacts& facts) const;
    // Resolves the terms of members, and terms of other pods that select them. Adds levels and warnings to the gang.
    class AffinityResolver;
    void resolve_affinity(const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere, Gang& gang) const;
    [[nodiscard]] std::int64_t created_of(const GangFacts& facts) const;
    class Running;  // Builds the result of `Cluster::running`.

    // Gangs that share a domain (`cluster_co_location.cpp`).
    void note_anchors(const Membership& membership, bool comes);
    // The gang that this one is anchored to, or itself if other gangs are anchored to it; else nullopt.
    [[nodiscard]] std::optional<GroupKey> anchor_of(const GroupKey& root) const;
    // The roots of the anchor and of all gangs anchored to it, except `root`.
    [[nodiscard]] std::set<GroupKey> co_located_gangs_of(const GroupKey& root) const;
    [[nodiscard]] std::vector<GroupKey> in_queue_order(const std::set<GroupKey>& gangs, const GroupKey& anchor) const;
    // Bars nodes outside the domains of co-located gangs, and adds those that aren't placed yet to `gang`.
    class CoLocatedGangReader;
    void anchor(const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere, Gang& gang) const;
};

}  // namespace echelon::model

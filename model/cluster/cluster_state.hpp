#pragma once

// What does the cluster store? Pods with their indexes, the forest of groups, and the index of nodes.
//
// Invariants:
// 1. A pod that occupies its node is counted in `node_index` under the node's name, even if the node is unknown.
// 2. A pod with a membership is in its leaf. If it is ours, it also declares the groups that exist only by pods. It
//    holds its class while it may have a seat, now or later.
// 3. The stored membership of a pod names the leaf that its group selects (`cluster_selection.cpp`). Pods that name no
//    group are in the leaf of a group that names them (`cluster_pod_names.cpp`).
// 4. A pod that occupies its node is in `occupants`, and its anti-affinity in `affinity_terms`.
// 5. A pod that is bound while the zones of the node are known counts as `bound_since` until they change or it ends.
//    This depends on the order of events: pods that were bound when they were first seen are taken to be in the zones.
// 6. A waiting pod with claims is stored as `devices` resolves it. A known node offers its devices, and those of claims
//    count as used there; `offered` has both.

#include "base/recent.hpp"
#include "base/text.hpp"
#include "model/cluster/affected_gangs.hpp"
#include "model/cluster/affinity_terms.hpp"
#include "model/cluster/cluster.hpp"
#include "model/cluster/co_located_gangs.hpp"
#include "model/cluster/co_location_index.hpp"
#include "model/cluster/late_pod_classes.hpp"
#include "model/cluster/leaf_pods.hpp"
#include "model/cluster/named_pods.hpp"
#include "model/cluster/node_index.hpp"
#include "model/cluster/occupants.hpp"
#include "model/cluster/pod_rows.hpp"
#include "model/cluster/pods_by_node.hpp"
#include "model/cluster/selected_leaves.hpp"
#include "model/devices/device_index.hpp"
#include "model/facts/string_pool.hpp"
#include "model/gang/forest.hpp"
#include "model/gang/gang_facts.hpp"
#include "model/gang/group_sets.hpp"
#include "model/gang/sub_group_selection.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace echelon::model {

class AffinityClasses;
class AffinityPods;
class LabelValues;

struct Cluster::State {
    State(Profiles p, const Limits& l) : profiles(std::move(p)), limits(l), forest(l.depth) {}
    State(const State&) = delete;  // Its parts refer to one another.
    State& operator=(const State&) = delete;

    Profiles profiles;
    Limits limits;
    GroupForest forest;
    GroupSets sets;
    NodeIndex node_index;
    PriorityClasses classes;
    std::map<std::string, std::map<std::string, DisruptionBudget>, std::less<>> budgets;  // By namespace and name.
    std::unordered_map<std::string, std::int64_t> job_ends;       // By UID, of Jobs that declare an end.
    bool have_groups_ends = false;                                // Some group has declared an end so far.
    std::map<std::string, std::vector<std::string>> node_faults;  // Node -> fields that can't be read.

    // Pods.
    StringPool strings;
    base::Recent<base::Text> recent_names;  // Of namespaces, schedulers and leaves.
    base::Recent<Amounts> recent_requests;
    PodRows pods;
    std::map<GroupKey, LeafPods> leaves;
    std::vector<base::Text> moved_pods;  // UIDs, during one event; no more than are listed, and one.
    PodsByNode members;                  // With a membership, by the node that they name.
    PodsByNode nominated;                // Of no gang, waiting for room there.
    PodsByNode leaving;                  // On a node, being deleted.
    Occupants occupants;
    AffinityTerms affinity_terms;

    // Groups.
    SelectedLeaves selected_leaves;
    NamedPods named_pods;
    LatePodClasses late_pod_classes{forest, node_index, devices};
    CoLocationIndex co_location;
    AffectedGangs affected{forest, co_location, profiles, limits};
    std::set<GroupKey> touched_anchors;  // During one event.
    mutable CoLocatedGangs co_located;   // What was read of them to build gangs.
    std::uint64_t asked_version = 0;     // Of the levels that `node_index` was asked for.

    DeviceIndex devices;
    std::unordered_map<std::string, DeviceIndex::Offer> offered;  // Known node -> what devices add to it.
    std::set<std::string> matched_nodes;                          // With devices that are matched one by one.

    // NUMA zones (NU2), by node, which may still be unknown.
    struct Zoning {
        NodeZones zones;
        std::map<std::string, ZoneParts> bound_since;  // By UID: pods that the zones don't show yet; no empty parts.
    };
    std::map<std::string, Zoning, std::less<>> zonings;

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
    void on(const JobSeen& event, Change& change);
    void on(const JobGone& event, Change& change);
    void on(const DeviceSliceSeen& event, Change& change);
    void on(const DeviceSliceGone& event, Change& change);
    void on(const DeviceTaintRuleSeen& event, Change& change);
    void on(const DeviceTaintRuleGone& event, Change& change);
    void on(const DeviceClassSeen& event, Change& change);
    void on(const DeviceClassGone& event, Change& change);
    void on(const DeviceClaimSeen& event, Change& change);
    void on(const DeviceClaimGone& event, Change& change);
    void on(const DeviceTemplateSeen& event, Change& change);
    void on(const DeviceTemplateGone& event, Change& change);
    void on(const NodeZonesSeen& event, Change& change);
    void on(const NodeZonesGone& event, Change& change);

    // Devices (`cluster_devices.cpp`).

    // Counts the devices of the node that claims have, and returns what all devices add to it. `plugin`: its other
    // amounts.
    Amounts offer(const std::string& node, const Amounts& plugin);
    void renew_offer(const std::string& node, Change& change);
    void store_offer(const std::string& node, DeviceIndex::Offer now);
    void withdraw(const std::string& node);
    void write_devices(const std::string& node);
    void renew_plugin_nodes(Change& change);
    void apply_late_devices(Change& change);
    void renew_roots(Change& change);  // Of pods that have moved, according to `change`.
    // Waiting pods that asked for the extended resource before a class stood for it.
    void resolve_pods_asking(const std::string& resource, Change& change);
    [[nodiscard]] std::set<std::string> device_warnings(const Pod& pod) const;
    [[nodiscard]] std::set<std::string> device_warnings(const GangFacts& facts) const;
    [[nodiscard]] bool may_lack_sharer(const GroupFacts& group) const;
    void apply_devices(const DeviceIndex::Delta& delta, Change& change);

    // NUMA zones (`cluster_zones.cpp`).
    void write_zones(const std::string& node);
    // A known pod takes another room, or none, or is bound. `after` has the whole class.
    void move_usage(const Pod& before, const Pod& after);
    void note_binding(const Pod& pod);
    void forget_binding(const Pod& pod);
    void append_zones(std::vector<Event>& events) const;

    // Pods.

    void see(const PodSeen& event, Change& change);
    void on_resolved(const PodSeen& event, Change& change);             // With its claims resolved.
    void on_pod(const Pod& pod, const Labels& labels, Change& change);  // `pod` with the selected leaf.
    void keep(const Pod& pod, PodRow& row);                             // Shares its texts and requests with others.
    void remove(const PodRow& row, Change& change);
    void note_arrival(const Pod* before, const Pod& after, Change& change) const;
    void note_followers(const PodRow& come, Change& change) const;
    void note_moved(const base::Text& uid);
    // With the pods of groups that have moved.
    [[nodiscard]] std::optional<std::vector<base::Text>> take_moved_pods();
    void enter_leaf(PodRow& row);
    void leave_leaf(PodRow& row);
    void note_nomination(const PodRow& row, bool comes);
    void index_pod(PodRow& row);
    void unindex_pod(PodRow& row);
    void ask_levels();

    // Selection of leaves.
    [[nodiscard]] std::optional<SelectedLeaf> leaf_of(const PodSeen& event) const;
    // True if no pod that names the group is in it or below it.
    [[nodiscard]] bool is_selected_elsewhere(const GroupKey& group) const;
    void add_selected_leaf(const GroupKey& group, const SelectedLeaf& leaf, Change& change);
    void remove_selected_leaf(const GroupKey& leaf, Change& change);  // Only if no pod is left in it.
    void reselect_pods(const GroupKey& group, Change& change);        // After the group came, went or changed.
    // Puts the pod of the group into the leaf that selects it now. Requires: it is in no leaf, and enters one next.
    void reselect_leaf(PodRow& row, const GroupKey& group, Change& change);

    // Pods that name no group, and groups that name them.
    [[nodiscard]] std::optional<Membership> given_membership(const Pod& pod) const;  // For a pod that names no group.
    void name_pods(const GroupKey& group, Change& change);                // After the group came, went or changed.
    void renew_given_membership(const std::string& pod, Change& change);  // `pod`: full name.

    // Groups.
    void renew_around(const GroupKey& changed);  // What others take from the group.
    void apply_group_set_difference(const std::vector<GroupKey>& touched, Change& before, Change& change);
    void apply_node_delta(const std::string& name, const NodeDelta& delta, Change& change);

    // As events (`cluster_as_events.cpp`).
    void append_groups(std::vector<Event>& events) const;
    void append_nodes(std::vector<Event>& events) const;
    [[nodiscard]] PodSeen as_seen(const PodRow& row) const;

    // Answers.
    [[nodiscard]] bool has_root(const GroupKey& root) const;
    // At most one group more than a gang may have.
    [[nodiscard]] std::vector<Branch> tree_of(const GroupKey& root) const;
    [[nodiscard]] GangFacts facts_of(const GroupKey& root, const RunningBefore* ran_before = nullptr) const;
    // Resolves the terms of members, and terms of other pods that select them. Adds levels and warnings to the gang.
    void resolve_affinity(const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere, Gang& gang) const;
    // The same, for a caller that goes on to use the parts. Requires: they are those of the gang.
    static void resolve_affinity(const Snapshot& snapshot, const AffinityPods& affinity_pods,
                                 const AffinityClasses& affinity_classes, LabelValues& values, Gang& gang);
    class Running;  // Builds the result of `Cluster::running`.

    // Gangs that share a domain (`cluster_co_location.cpp`).

    // The pod's gang is affected, and so are those that it is co-located with.
    void touch(const Pod& pod, Change& change);
    // After an event: what it may have changed is read again. Requires: `change` has no co-located gangs yet.
    void forget_co_located(const Event& event, const Change& change);
    void add_co_located(Change& change);  // The gangs around `touched_anchors`.
    [[nodiscard]] const std::vector<const CoLocatedGangs::Facts::value_type*>& gangs_around(
        const GroupKey& anchor) const;
    [[nodiscard]] CoLocatedFacts read_co_located(const GroupKey& root) const;
    // Bars nodes outside the domains of co-located gangs, and adds those that aren't placed yet to `gang`.
    class CoLocatedGangReader;
    void anchor(const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere, Gang& gang) const;
};

// True if there are pods, and the option (`&Profile::gang`, `&Profile::topology`) is off for every scheduler that they
// name.
[[nodiscard]] bool is_off_for_all(bool Profile::* option, const GangFacts& facts, const Profiles& profiles);

}  // namespace echelon::model

#pragma once

// One group as its dialect declares it: a leaf of pods or a composite of groups (N1 to N11, D1 to D14).
// Plain values; what the tree as a whole means is decided in `model/gang/forest.hpp`.

#include "base/shared.hpp"
#include "model/facts/pod_class.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace echelon::model {

// Identity of a group. Two kinds may use one name: a PodGroup and a CompositePodGroup "a" are two groups.
struct GroupKey {
    std::string kind;  // Fixed by the dialect: "podgroup", "compositepodgroup", "label-gang", "label-group" ...
    std::string name;  // "namespace/name", as reports print it.

    auto operator<=>(const GroupKey&) const = default;
};

enum class GroupKind : std::uint8_t { leaf, composite };

// Whether pods of a group may be evicted one by one, or only all of them together (S28, S29).
enum class DisruptionMode : std::uint8_t { unstated, single, all };

struct SubGroupSelector;

// Whether a group was placed, as the status of its object says: the condition that its API has for it (Z32).
struct PlacedCondition {
    enum class Status : std::uint8_t { absent, not_met, met };

    std::string type;  // "PodGroupInitiallyScheduled" ...
    Status status = Status::absent;
    std::string message;
    std::int64_t generation = 0;  // Of the object that it was said of.
    std::string version;          // Of the object as it was read.

    bool operator==(const PlacedCondition&) const = default;
};

// What only some dialects ask for. A dialect fills it in; nothing else in the model, solver or engine knows dialects.
struct DialectPolicy {
    bool counts_only_waiting = false;  // Leaf: bound members don't count toward its minimum (KP3, KP4).
    // Composite: its levels are the widest that its children require, if each of them requires one.
    bool inherits_widest_child_level = false;
    bool oldest_pod_decides = false;     // If pods declare it in different ways, else most of them decide.
    bool has_placement_score = false;    // Its object has a field for it (`model::WritePlacementScore`).
    bool needs_pods = false;             // A tree without pods is no gang: its pods may name another group (Z5).
    bool one_priority_per_tree = false;  // Its pods and groups must agree, else the tree is Invalid (S26).
    std::string workload = {};           // spec.workloadRef.workloadName; empty: none.
    bool requires_workload_ref = false;  // Without one the group is Invalid (S5).
    std::int64_t max_depth = 0;          // Of its tree, leaf included; 0: any (S3).

    auto operator<=>(const DialectPolicy&) const = default;
};

struct Group {
    GroupKey key;
    GroupKind kind = GroupKind::leaf;
    std::optional<GroupKey> parent;

    std::optional<std::int64_t> minimum;  // Leaf: pods; composite: satisfied children. Absent: all children (N7), or
                                          // for a leaf: missing (Invalid).
    std::int64_t fewest = 0;  // Composite that states no minimum: children that it needs even if fewer are seen.
    bool basic = false;       // Upstream `basic`: minimum 1 for its parent, ready with 0 pods (N5, S11).
    std::int64_t floor = 0;   // Composite: pods in the whole subtree (Volcano minMember); 0: none.
    std::optional<std::int64_t> expected;  // Declared number of pods; absent: unknown.
    // Late members (H1 to H7): how many pods are created before the others, which wait for those to be bound or
    // ready; absent: all come at once. With `expected`, what is missing is planned as placeholders.
    std::optional<std::int64_t> start_set;
    base::Shared<PodClass>
        late_pod_class;      // Of the others, by their template; absent: unreadable, as the start set's (H6).
    std::int64_t ended = 0;  // Pods that have succeeded, as their owner counts them: they may be gone (H7).
    std::optional<std::int64_t> timeout;  // Seconds that held seats wait for their pods; absent: as configured.

    // Levels are named by key, alias or built-in word (`model/facts/topology.hpp`).
    std::vector<std::string> required;              // The narrowest rules (D3).
    std::vector<std::string> preferred;             // A wish (D9).
    std::map<std::string, std::int64_t> multiples;  // Level -> m (D13).
    std::map<std::string, std::int64_t>
        most_per_domain;  // Level -> n: at most n children (leaf: pods) in a domain (D16).
    std::string paired;  // Composite: level in each domain of which its children keep in proportion (D17); empty: none.
    std::string topology;        // Name of the topology that they are looked up in; empty: any.
    std::string topology_group;  // API group whose topology goes first when several bear the name; empty: none (Z22).

    std::optional<std::int64_t> priority;  // Of the tree, when the object states a number.
    std::string priority_class;            // Looked up when there is no number.
    std::optional<bool> preempts;          // preemptionPolicy: absent: not stated.
    DisruptionMode disruption = DisruptionMode::unstated;
    std::optional<std::int64_t> protected_from;  // From this priority of the gang on its pods are never evicted.
    DialectPolicy policy;

    std::optional<GroupKey> anchor;  // Leaf: the gang whose root's required domain its own gang shares (X5).
    std::vector<GroupKey> listed;    // Composite: exactly these groups must name it as their parent; sorted.
    // What others add to a group that an object defines: pods of it, or an object that it represents. It fills in
    // what the object leaves open; without the object it is nothing. Required levels and multiples hold beside its own.
    bool only_supplements = false;
    // Another object's group that says more of this one, and of others like it: how many children it needs, which pods
    // come late. It is itself in no tree; while it isn't there nothing more is said.
    std::optional<GroupKey> described_by;
    base::Shared<PlacedCondition> placed;  // None: its API has no such condition.
    std::vector<SubGroupSelector>
        sorts;  // Leaves into which pods that name this group are sorted; none: they stay in it.

    std::string uid;          // Empty when the group is no object.
    std::string api_version;  // "scheduling.k8s.io/v1alpha3"; empty when the group is no object.
    std::string api_kind;     // "PodGroup"; empty when the group is no object.
    std::int64_t generation = 0;
    std::int64_t created = 0;  // Seconds since 1970; of a group by labels: of its oldest member (Z13).
    std::int64_t ends = 0;     // Leaf: when its controller ends all its pods, seconds since 1970; 0: unknown.

    std::string problem;                // Why the group is Invalid by itself; empty: it isn't.
    std::vector<std::string> warnings;  // Wishes that were dropped.

    bool operator==(const Group&) const = default;
};

// Sub-groups that are needed whether or not pods of them are there: two numbers, not objects (BD2).
struct PartNumbers {
    std::int64_t first = 0;
    std::int64_t end = 0;

    auto operator<=>(const PartNumbers&) const = default;
};

// The leaves of some of the pods that name a group, told apart by their labels. The first selector that matches a pod
// takes it; a pod that none matches stays in the group itself.
struct SubGroupSelector {
    std::vector<Requirement> labels;                  // All must hold; none: every pod.
    base::Shared<std::vector<Requirement>> selector;  // Must hold, too: what leaves of one declaration have in common.
    std::vector<std::string> keys;  // Each must have a value; every combination is a leaf "NAME/VALUE,VALUE".
    Group leaf;                     // What each leaf is like; without keys it is the only one.
    bool is_declared = false;       // It is there without pods, too, since the object declares it; needs no keys.
    PartNumbers
        parts;  // If there are any, it selects no pods: `leaf` represents sub-groups "NAME/FIRST" to "NAME/END-1".

    bool operator==(const SubGroupSelector&) const = default;
};

// All groups that one object defines. The next set of the same owner takes its place as a whole.
struct GroupSet {
    GroupKey owner;                  // Kind and "namespace/name" of the object.
    std::string uid = {};            // Of the object.
    std::int64_t created = 0;        // Of the object; a shared group is as old as its oldest owner.
    std::vector<Group> groups = {};  // That this object alone declares.
    std::vector<Group> shared = {};  // That other objects declare alike.

    bool operator==(const GroupSet&) const = default;
};

}  // namespace echelon::model

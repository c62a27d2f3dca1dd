#pragma once

// What does a dialect declare about one group: a leaf of pods or a composite of groups (N1 to N11, D1 to D14)?
//
// Plain values. `model/gang/forest.hpp` decides what the tree as a whole means.

#include "base/rare.hpp"
#include "base/shared.hpp"
#include "base/text.hpp"
#include "model/facts/device.hpp"
#include "model/facts/pod_class.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace echelon::model {

// Identity of a group. Two kinds may use one name: a PodGroup and a CompositePodGroup "a" are two groups.
struct GroupKey {
    std::string kind;  // Fixed by the dialect: "podgroup", "compositepodgroup", "label-gang", "label-group" ...
    base::Text name;   // "namespace/name", as reports print it.

    auto operator<=>(const GroupKey&) const = default;

    // For orders that people see: the kind matters only between equal names (Q1).
    using ByName = std::tuple<const base::Text&, const std::string&>;
    [[nodiscard]] ByName by_name() const { return {name, kind}; }
};

enum class GroupKind : std::uint8_t { leaf, composite };

// Whether pods of a group may be evicted one by one, or only all of them together (S28, S29).
enum class DisruptionMode : std::uint8_t { unstated, single, all };

struct SubGroupSelector;

// Does the status of a group's object say that the group was placed? The condition that the API has for this (Z32).
struct PlacedCondition {
    enum class Status : std::uint8_t { absent, not_met, met };

    std::string type;  // "PodGroupInitiallyScheduled" ...
    Status status = Status::absent;
    std::string message;
    std::int64_t generation = 0;  // Of the object when the condition was written.
    std::string version;          // Of the object as it was read.

    bool operator==(const PlacedCondition&) const = default;
};

// What only some dialects ask for. A dialect fills it in; nothing else in the model, solver or engine knows dialects.
struct DialectPolicy {
    bool counts_only_waiting = false;  // Leaf: bound members don't count toward its minimum (KP3, KP4).
    // Composite: its levels are the widest that its children require, if each of them requires one.
    bool inherits_widest_child_level = false;
    bool oldest_pod_decides = false;     // If pods declare the group differently; false: the most frequent wins.
    bool has_placement_score = false;    // The object has a field for a score (`model::WritePlacementScore`).
    bool needs_pods = false;             // A tree without pods is no gang: its pods may name another group (Z5).
    bool one_priority_per_tree = false;  // Its pods and groups must agree, else the tree is Invalid (S26).
    std::string workload = {};           // spec.workloadRef.workloadName; empty: none.
    bool requires_workload_ref = false;  // Without one the group is Invalid (S5).
    std::int64_t max_depth = 0;          // Levels that the tree may have, leaf included; 0: any (S3).
    // Composite: the children that its minimum counts; 0: all. Further ones take extras only, and are always satisfied
    // (Z19).
    std::int64_t counted_children = 0;
    bool takes_default_priority = false;  // That of the PriorityClass with globalDefault, before its own number (Z19).
    std::int64_t slice_size = 0;          // Pods of a slice whose level only the group's pods state (Z30); 0: none.
    // Supplement: a level of slices whose size only the object may state. `problem` holds if it doesn't (Z30).
    std::string unsized_slices = {};

    auto operator<=>(const DialectPolicy&) const = default;
};

// Pods that have one value of a label.
struct LabelledPods {
    std::string label;
    std::string value;

    auto operator<=>(const LabelledPods&) const = default;
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
    // How many pods are created first. The others are late members (H1 to H7): they wait until the first ones are bound
    // or ready. Absent: all come at once. With `expected`, missing pods are planned as placeholders.
    std::optional<std::int64_t> start_set;
    base::Shared<PodClass> late_pod_class;  // Of late members, by their template; absent: as the start set's (H6).
    std::vector<PodClaim> late_claims;      // Device claims of that template.
    std::int64_t ended = 0;  // Pods that have succeeded, as their owner counts them: they may be gone (H7).
    std::optional<std::int64_t> timeout;  // Seconds that held seats wait for their pods; absent: as configured.

    // Levels are named by key, alias or built-in word (`model/facts/topology.hpp`).
    std::vector<std::string> required;              // The narrowest rules (D3).
    std::vector<std::string> preferred;             // Met where possible (D9).
    std::map<std::string, std::int64_t> multiples;  // Level -> m (D13).
    // Level -> n: at most n children (leaf: pods) in a domain (D16).
    std::map<std::string, std::int64_t> most_per_domain;
    std::string paired;    // Composite: children are in proportion in each domain of this level (D17); empty: none.
    std::string topology;  // Name of the topology in which levels are looked up; empty: any.
    std::string topology_group;  // If several topologies have that name, one of this API group goes first (Z22).

    std::optional<std::int64_t> priority;  // Of the tree, when the object states a number.
    std::string priority_class;            // Looked up when there is no number.
    std::optional<bool> preempts;          // preemptionPolicy: absent: not stated.
    DisruptionMode disruption = DisruptionMode::unstated;
    std::optional<std::int64_t> protected_from;  // Pods of a gang of this priority or a higher one are never evicted.
    DialectPolicy policy;

    std::optional<GroupKey> anchor;  // Leaf: its gang shares the domain that the root of this gang requires (X5).
    std::vector<GroupKey> listed;    // Composite: these groups must name it as their parent; sorted.
    // True: pods, or a second object, only supplement the object that defines the group. They fill in what that object
    // leaves open, and have no effect without it. Their required levels and multiples hold in addition.
    bool only_supplements = false;
    // Supplement: the pods that it is about; default: all of the group. If pods of other values supplement the group,
    // too, none of them says anything about required levels and late pods of the whole.
    base::Rare<LabelledPods> about;
    // A group of another object that describes this one and others like it: how many and which children each needs,
    // which pods come late. With `about`: the pods of each value. It is in no tree, and may not exist yet.
    std::optional<GroupKey> described_by;
    base::Shared<PlacedCondition> placed;  // None: its API has no such condition.
    std::vector<SubGroupSelector> sorts;   // Selects leaves for pods that name this group; none: they stay in it.

    std::string uid;          // Empty when the group is no object.
    std::string api_version;  // "scheduling.k8s.io/v1alpha3"; empty when the group is no object.
    std::string api_kind;     // "PodGroup"; empty when the group is no object.
    std::int64_t generation = 0;
    std::int64_t created = 0;  // Seconds since 1970; for a group by labels, of the oldest member (Z13).
    std::int64_t ends = 0;     // Leaf: when its controller ends all its pods, seconds since 1970; 0: unknown.

    std::string problem;                // Why the group is Invalid by itself; empty: it isn't.
    std::vector<std::string> warnings;  // What was dropped, one sentence each.

    // The template of late members, if there is none yet.
    void take_late_template(const Group& from) {
        if (late_pod_class)
            return;
        late_pod_class = from.late_pod_class;
        late_claims = from.late_claims;
    }

    bool operator==(const Group&) const = default;
};

// Sub-groups that are needed even if they have no pods yet: a range of numbers, not objects (BD2).
struct PartNumbers {
    std::int64_t first = 0;
    std::int64_t end = 0;

    auto operator<=>(const PartNumbers&) const = default;
};

// Selects pods that name a group by their labels, and sorts them into leaves. The first selector that matches a pod
// takes it. A pod that none matches stays in the group itself.
struct SubGroupSelector {
    std::vector<Requirement> labels;                  // All must hold; none: every pod.
    base::Shared<std::vector<Requirement>> selector;  // Must hold, too; shared by leaves of one declaration.
    std::vector<std::string> keys;  // Each must have a value; every combination is a leaf "NAME/VALUE,VALUE".
    Group leaf;                     // What each leaf is like; without keys it is the only one.
    bool is_declared = false;       // It is there without pods, too, since the object declares it; needs no keys.
    // If there are any, no pods are selected: `leaf` represents sub-groups "NAME/FIRST" to "NAME/END-1".
    PartNumbers parts;

    bool operator==(const SubGroupSelector&) const = default;
};

// All groups that one object defines. The next set of the same owner replaces the whole set.
struct GroupSet {
    GroupKey owner;                  // Kind and "namespace/name" of the object.
    std::string uid = {};            // Of the object.
    std::int64_t created = 0;        // Of the object; a shared group is as old as the oldest owner.
    std::vector<Group> groups = {};  // That this object alone declares.
    std::vector<Group> shared = {};  // That other objects declare alike.

    bool operator==(const GroupSet&) const = default;
};

}  // namespace echelon::model

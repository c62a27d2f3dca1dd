#pragma once

// One group as its dialect declares it: a leaf of pods or a composite of groups (gang-semantics sections 1, 2 and 4).
// Plain values; what the tree as a whole means is decided in `model/forest.hpp`.

#include "model/shape.hpp"

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

struct Group {
    GroupKey key;
    GroupKind kind = GroupKind::leaf;
    std::optional<GroupKey> parent;

    std::optional<std::int64_t> minimum;   // Leaf: pods; composite: satisfied children. Absent: all children (N7), or
                                           // for a leaf: missing (Invalid).
    bool basic = false;                    // Upstream `basic`: minimum 1 for its parent, ready with 0 pods (N5, S11).
    std::int64_t floor = 0;                // Composite: pods in the whole subtree (Volcano minMember); 0: none.
    std::optional<std::int64_t> expected;  // Declared number of pods; absent: unknown.
    // Late members (section 10): how many pods are created before the others, which wait for those to be bound or
    // ready; absent: all come at once. With `expected`, what is missing is planned as ghosts.
    std::optional<std::int64_t> start_set;
    std::optional<PodShape>
        late_shape;  // Of the others, by their template; absent: unreadable, as the start set's (H6).

    // Levels are named by key, alias or built-in word (`model/topology.hpp`).
    std::vector<std::string> required;              // The narrowest rules (D3).
    std::vector<std::string> preferred;             // A wish (D9).
    std::map<std::string, std::int64_t> multiples;  // Level -> m (D13).
    std::string topology;                           // Name of the topology that they are looked up in; empty: any.
    std::string topology_group;  // API group whose topology goes first when several bear the name; empty: none (Z22).

    std::optional<std::int64_t> priority;  // Of the tree, when the object states a number.
    std::string priority_class;            // Looked up when there is no number.
    std::optional<bool> preempts;          // preemptionPolicy: absent: not stated.
    bool one_priority_per_tree = false;    // Upstream: pods and groups must agree (S26), else the tree is Invalid.
    std::string workload;                  // Upstream workloadRef.workloadName; empty: none.
    bool needs_workload = false;           // Upstream S5: a composite, and a group with a parent.
    std::int64_t max_depth = 0;            // Deepest tree that the dialect allows, leaf included; 0: any (S3).

    std::string uid;          // Empty when the group is no object.
    std::string api_version;  // "scheduling.k8s.io/v1alpha3"; empty when the group is no object.
    std::string api_kind;     // "PodGroup"; empty when the group is no object.
    std::int64_t generation = 0;
    std::int64_t created = 0;  // Seconds since 1970; of a group by labels: of its oldest member (Z13).

    std::string problem;                // Why the group is Invalid by itself; empty: it isn't.
    std::vector<std::string> warnings;  // Wishes that were dropped.

    bool operator==(const Group&) const = default;
};

}  // namespace echelon::model

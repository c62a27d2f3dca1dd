#pragma once

// What is known about one tree and its pods, before anything is judged? Faults, readiness and the gang are built from
// it.
//
// Holds pointers into the model; valid until its next change.

#include "base/text.hpp"
#include "model/facts/limits.hpp"
#include "model/facts/pod.hpp"
#include "model/gang/forest.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace echelon::model {

// What a pod is to its group (docs/rules.md, members: M1 to M4).
enum class MemberStatus : std::uint8_t {
    waiting,   // No node, and no gate but echelon's: may get a seat.
    bound,     // On a node that exists: counts, and pins the domain.
    finished,  // Succeeded: counts, but pins nothing.
    gated,     // Behind another controller's gate: doesn't count yet.
    lost,      // Failed, being deleted, on a node that is gone, or of an earlier attempt.
};

struct PodFacts {
    const Pod* pod = nullptr;
    const base::Text* full_name = nullptr;  // "namespace/name".
    MemberStatus status = MemberStatus::lost;
    NodeId node = nowhere;     // Where it is bound.
    PodClassId pod_class = 0;  // For waiting, bound and gated pods.
    bool ran_before = false;   // Only if waiting members alone count (KP4): bound or ended before those were planned.

    [[nodiscard]] bool exists() const {
        return status == MemberStatus::waiting || status == MemberStatus::bound || status == MemberStatus::finished;
    }
};

struct GroupFacts {
    Branch branch;
    std::vector<std::uint32_t> children;
    std::vector<PodFacts> pods;       // Pods of echelon's profiles: by rank, then those without rank by name.
    std::vector<const Pod*> foreign;  // Pods of other schedulers, by name.
    bool is_disputed = false;         // Members declare it differently.
    std::vector<std::pair<const Pod*, const Group*>>
        declarers;                          // If disputed: living pods with their declarations, by name.
    bool is_beyond_parent_minimum = false;  // It has no pods, and siblings with pods meet the parent's minimum.
    bool is_committing = false;             // The gang's commit is under way.
    bool is_loose = false;                  // All pods of the tree are of profiles without gangs: no minimum (Z34).
    std::string unlike;                     // A group that lists it, or that it lists, and that disagrees.
    std::string missing_listed_group;       // A listed group that doesn't exist yet.
    std::string missing_claim;              // A ResourceClaim that a pod waits for as if behind a gate (DR4).

    [[nodiscard]] const Group* group() const { return branch.group; }
    [[nodiscard]] bool is_leaf() const { return group() == nullptr || group()->kind == GroupKind::leaf; }
    [[nodiscard]] std::int64_t existing() const;
    // Pods that succeeded and no longer exist, by their owner's count (H7); without succeeded pods that still exist.
    [[nodiscard]] std::int64_t gone() const;
    // How many members must exist before late ones are created; none of these can be a placeholder.
    [[nodiscard]] std::int64_t at_start() const;
    // How many members of a group with late members are declared, needed for the minimum, and not created yet (H1).
    // Missing extras get no placeholder. 0 if all members come at once, and before the group can start: until then no
    // member is bound, nor about to be.
    [[nodiscard]] std::int64_t placeholders() const;
    // Leaf: pods that it declares or needs, created or not; 0 if `is_beyond_parent_minimum`.
    [[nodiscard]] std::int64_t announced() const;
    // Composite: children that take extras only. They are always satisfied, and `minimum` includes them in addition to
    // what is declared.
    [[nodiscard]] std::int64_t uncounted_children() const;
    // The declared minimum without pods that are `gone`; 1 if `basic`; all children of a composite that states none
    // (N5, N7). 0 if nothing is known, and for a loose group.
    [[nodiscard]] std::int64_t minimum() const;
    // Pods that the whole subtree must have in addition to the minimum; 0: none.
    [[nodiscard]] std::int64_t floor() const;
    // Loose group: pods that are announced and not created yet. The plan prefers room for them (Z34).
    [[nodiscard]] std::int64_t still_to_come() const;
    // Members that ran before, if only waiting members count (KP4). 0 if there are no others: a group whose members are
    // all bound meets its minimum.
    [[nodiscard]] std::int64_t earlier_members() const;
    // Members that must exist: the minimum, and in addition those that ran before.
    [[nodiscard]] std::int64_t needed() const { return minimum() + earlier_members(); }

private:
    // `minimum`, even if the group is loose.
    [[nodiscard]] std::int64_t stated_minimum() const;
};

struct PriorityClass {
    std::int64_t value = 0;
    bool preempts = true;
    bool is_default = false;  // globalDefault: of what names no class.

    bool operator==(const PriorityClass&) const = default;
};
using PriorityClasses = std::map<std::string, PriorityClass, std::less<>>;

struct GangFacts {
    std::vector<GroupFacts> groups;  // Pre-order; [0] is the root.
    bool is_cycle = false;
    const PriorityClasses* classes = nullptr;
    const Group* base = nullptr;  // Root of the gang that it is anchored to; null: none, or it doesn't exist.
    std::vector<std::shared_ptr<const Group>> made = {};  // Owns groups that neither object nor pod declares: slices.

    [[nodiscard]] const GroupFacts& root() const { return groups.front(); }
    // Pods of the gang, including gated ones and those that aren't created yet.
    [[nodiscard]] std::int64_t size() const;
};

// The status of one pod, attempts aside; `node_exists`: its node is known.
[[nodiscard]] MemberStatus member_status_of(const Pod& pod, bool node_exists);
// Sorts the pods of a leaf by rank, and marks pods of earlier attempts than the youngest pod's as `lost`, as well as
// succeeded pods of an earlier run (M1).
void sort_by_rank_and_drop_old_attempts(std::vector<PodFacts>& pods);
// The priority that a group states, as a number or through a known class, that of the cluster's default included;
// nullopt: none.
[[nodiscard]] std::optional<std::int64_t> stated_priority(const Group& group, const PriorityClasses& classes);
// The longest time-out that a group states, in seconds; nullopt: none does.
[[nodiscard]] std::optional<std::int64_t> timeout_of(const GangFacts& facts);
// The root's priority, else the highest among existing pods.
[[nodiscard]] std::int64_t priority_of(const GangFacts& facts);
// The schedulerNames of the pods, sorted, each once.
[[nodiscard]] std::vector<base::Text> scheduler_names_of(const GangFacts& facts);
// When the root's object, else the oldest pod that names the root, was created; in seconds since 1970. 0: neither
// exists. A gang that is anchored to another is no older than that one, which goes first (Q3).
[[nodiscard]] std::int64_t created_of(const GangFacts& facts);
// False if the preemption policy is Never: no pods are evicted for it. Groups decide first, then the root's priority
// class, then the pods.
[[nodiscard]] bool preempts(const GangFacts& facts);

}  // namespace echelon::model

#pragma once

// What does the solver get to place? One gang: the tree under a root with its members, resolved against a snapshot.
//
// Plain values, made by `Cluster::gang()`. Groups are in pre-order, the root first; members of a leaf are contiguous
// and in rank order.

#include "base/enum_count.hpp"
#include "base/text.hpp"
#include "model/facts/group.hpp"
#include "model/gang/affinity_constraints.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace echelon::model {

// Why a gang isn't placed; the same words in reports, conditions, metrics and logs (docs/why-pending.md).
enum class Reason : std::uint8_t { invalid, incomplete, impossible, no_room, out_of_budget };
inline constexpr std::size_t reason_count = base::count_up_to(Reason::out_of_budget);

[[nodiscard]] std::string_view to_string(Reason reason);  // "Invalid", "Incomplete" ...
// False if there may be a plan all the same. Such a refusal justifies no eviction, and no claim that nothing fits.
[[nodiscard]] constexpr bool is_proved(Reason reason) {
    return reason != Reason::out_of_budget;
}

struct Member {
    enum class State : std::uint8_t {
        waiting,   // Has no node, and may get a seat.
        bound,     // On `node`: counts and pins the domain; the snapshot's room is already without it.
        finished,  // Succeeded in this attempt: counts, but pins nothing.
    };
    base::Text uid;  // Of a placeholder: empty, and so is `pod` (`uid_of`, `pod_of`).
    base::Text pod;  // "namespace/name".
    PodClassId pod_class = 0;
    State state = State::waiting;
    NodeId node = nowhere;             // Where it is bound.
    std::uint32_t affinity_class = 0;  // Index into Gang::affinity; 0: no term of pod (anti-)affinity applies to it.
    // Declared, but not created yet (H1 to H7): planned like a waiting member, but has no pod.
    bool is_placeholder = false;
};

// A member behind another controller's scheduling gate (M3). The plan prefers room for it, but holds none.
struct GatedMember {
    std::uint32_t group = 0;  // Its leaf.
    PodClassId pod_class = 0;
    std::uint32_t affinity_class = 0;
};

// A co-located gang that isn't placed yet (X5). The plan prefers room for it, but holds none.
struct CoLocatedGang {
    std::vector<LevelRef> required;       // Levels that its root requires.
    std::vector<PodClassId> pod_classes;  // One per member, the gated ones last.
    std::int64_t minimum = 0;             // Members missing to its minimum; 0 if it waits for more than room.
};

// What this gang shares with its co-located gangs: the levels of the gang that they are anchored to (X5, Z27).
struct CoLocation {
    std::vector<LevelRef> required;
    std::vector<LevelRef> preferred;
    std::vector<NodeId> seated;  // Nodes of members of the other gangs, bound or planned; sorted. Empty once a member
                                 // of this gang is bound.
};

struct GangGroup {
    GroupKey key;
    std::uint32_t parent = nowhere;       // Index into Gang::groups.
    std::vector<std::uint32_t> children;  // Empty for a leaf.
    bool is_leaf = true;
    bool exists = true;        // False: pods or groups name it, but it doesn't exist (yet).
    bool basic = false;        // Minimum 1, ready without pods (N5).
    std::int64_t minimum = 0;  // Leaf: members; composite: satisfied children.
    std::int64_t floor = 0;    // Composite: members in the subtree; 0: none.
    // Leaf: true if members that ran before do not count. `minimum` includes them in addition.
    bool counts_only_waiting = false;
    std::int64_t earlier_members = 0;  // Leaf: how many members ran before.
    // Composite: children that take extras only and are always satisfied. `minimum` includes them, reports don't (Z19).
    std::int64_t uncounted_children = 0;
    // The part of `minimum` that the barrier waits for; placeholders make no bind calls (H3).
    std::int64_t at_barrier = -1;  // -1: all of it.
    // Leaf: the minimum once the pods of `after` have ended. Its placeholders wait for that and reuse their room (Z31).
    // 0: `minimum` holds now. A composite in `after` means all leaves below it.
    std::int64_t later = 0;
    std::vector<std::uint32_t> after;
    std::uint32_t first_member = 0;  // Leaf: range of Gang::members.
    std::uint32_t last_member = 0;
    std::vector<LevelRef> required;  // All hold (D3).
    std::vector<LevelRef> preferred;
    bool is_in_one_zone = false;  // All its members go to one NUMA zone (NU3); it requires the host, too.
    std::vector<std::pair<LevelRef, std::int64_t>> multiples;  // D13; values >= 2 only.
};

// The narrowest level that the group itself requires; nullopt: none.
[[nodiscard]] std::optional<LevelRef> narrowest_required(const GangGroup& group);
// True if preferring the level has no effect: the group requires it, or a narrower one of the same tree (D10).
[[nodiscard]] bool is_implied_by_required(const GangGroup& group, LevelRef preferred);

// At most `most` children of a group, or members of a leaf, may be in one domain (D16).
struct DomainLimit {
    std::uint32_t group = 0;
    LevelRef level;
    std::int64_t most = 0;
};

// In each domain of the level, the children of a composite are in proportion (D17). A replica is a member of a leaf, or
// a child of a composite that requires the level or a narrower one.
struct Pairing {
    std::uint32_t group = 0;
    LevelRef level;
    std::vector<std::int64_t> replicas;  // Of each child, as declared.
};

struct Problem {
    Reason reason = Reason::invalid;  // `invalid` or `incomplete` only.
    std::string sentence;             // No trailing period, no "echelon: ".
};

struct Gang {
    GroupKey root;
    std::vector<GangGroup> groups;  // Pre-order; [0] is the root.
    std::vector<Member> members;
    std::vector<DomainLimit> domain_limits;  // By group.
    std::vector<Pairing> pairings;           // By group.
    std::vector<GatedMember> gated_members;  // By leaf.
    std::vector<CoLocatedGang> co_located;   // Those with a minimum first, in queue order (Q3).
    CoLocation co_location;
    AffinityConstraints affinity;
    std::int64_t priority = 0;
    std::int64_t created = 0;                  // Seconds since 1970, of the root.
    std::optional<std::int64_t> timeout = {};  // Seconds that held seats wait for their pods; absent: as configured.
    std::optional<Problem> problem;            // Found while building; nothing may be placed, and no search is needed.
    std::vector<base::Text> scheduler_names = {};  // Those of the pods, sorted.
    std::vector<std::string> warnings;
    std::string left_open = {};  // The warning about a part that kube-scheduler alone judges (DR5, D14); empty: none.
    // What limits where its groups may go: faults of the topology (Z7) and its anchor. A refusal for room names it.
    std::vector<std::string> left_out = {};

    [[nodiscard]] const std::string& name() const { return root.name; }
};

}  // namespace echelon::model

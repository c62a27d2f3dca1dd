#pragma once

// What is done to echelon in a simulation? Each kind of injection, numbered as in docs/simulator.md; 0 is ordinary
// life. That page also lists the faults that are tested elsewhere.
//
// Plain values.

#include <array>
#include <cstdint>
#include <string_view>

namespace echelon::simulator {

enum class Fault : std::uint8_t {
    write_refused,
    write_lost,
    write_forbidden,
    write_slow,
    watch_resumes,
    watch_relists,
    watch_repeats,
    watch_silent,
    unknown_objects,
    member_recreated,
    list_shrinks,
    bound_by_another,
    filter_oddly,
    bind_twice,
    bind_unasked,
    bind_elsewhere,
    bind_wrong_uid,
    bind_deleted,
    client_time_out,
    scheduler_restart,
    lead_switch,
    lead_overlap,
    lead_lost,
    node_lost,
    node_unusable,
    node_tainted,
    node_shrunk,
    node_relabelled,
    group_cycle,
    group_unreadable,
    minimum_changed,
    level_changed,
    group_deleted,
    gang_deleted,
    member_ends,
    member_deleted,
    pods_beside,
    own_filters_refuse,
    killed,
    killed_stale,
    drained,
    paused,
    clock_jump,
    plan_deleted,
    gang_created,
    plain_pods,
    node_added,
    node_mended,
    gate_opens,
};

struct FaultRow {
    std::string_view number;  // In docs/simulator.md; "-": ordinary life.
    std::string_view name;
    std::uint32_t weight;
};

inline constexpr std::array fault_rows{
    FaultRow{"1 5 6", "writes refused, unavailable or throttled for a while", 4},
    FaultRow{"19", "writes carried out, their answers lost, for a while", 5},
    FaultRow{"8", "writes forbidden for a while", 1},
    FaultRow{"2 21", "writes slow for a while, up to beyond every deadline", 3},
    FaultRow{"3 4", "a watch stands still, then goes on where it was", 5},
    FaultRow{"9 10 11", "a watch expires: a whole list replaces what was known", 5},
    FaultRow{"12", "objects told again", 3},
    FaultRow{"13", "a watch without events for long", 2},
    FaultRow{"14", "events for objects that nobody knows", 2},
    FaultRow{"15 39", "a member deleted and recreated under its name", 6},
    FaultRow{"16", "objects go while nobody watches", 4},
    FaultRow{"20", "a member bound by another scheduler", 3},
    FaultRow{"23", "filter with no, one, or other names", 4},
    FaultRow{"24", "bind called twice", 4},
    FaultRow{"25", "bind called without filter", 3},
    FaultRow{"26", "bind called for another node", 3},
    FaultRow{"27", "bind called with a wrong or empty UID", 3},
    FaultRow{"28", "bind called for a pod that is gone", 3},
    FaultRow{"29", "the client of a waiting bind gives up", 8},
    FaultRow{"31", "kube-scheduler restarts, binds waiting", 3},
    FaultRow{"32", "the lead goes to the other pair", 3},
    FaultRow{"32", "two leaders at once for a moment", 2},
    FaultRow{"32", "nobody leads for a moment", 2},
    FaultRow{"35", "a node lost", 3},
    FaultRow{"36", "a node cordoned or not ready", 5},
    FaultRow{"36", "a node tainted", 3},
    FaultRow{"36", "a node shrunk", 3},
    FaultRow{"37", "a node relabelled", 3},
    FaultRow{"37", "groups that form a cycle", 1},
    FaultRow{"37", "a group that can't be read, or asks for an unknown level", 1},
    FaultRow{"38", "a minimum lowered or raised", 5},
    FaultRow{"38", "a required level added, changed or taken away", 2},
    FaultRow{"40", "a group or parent deleted, back later or never", 3},
    FaultRow{"40", "a gang deleted, pods and all", 4},
    FaultRow{"41", "a member succeeds or fails early", 5},
    FaultRow{"15 28", "a member deleted", 5},
    FaultRow{"42", "pods of others take the room first", 5},
    FaultRow{"23", "kube-scheduler's own filters refuse a node", 4},
    FaultRow{"43", "killed between two actions", 8},
    FaultRow{"17 43", "killed, and back to lists of an older cache", 4},
    FaultRow{"44", "SIGTERM, then started again", 2},
    FaultRow{"46", "stands still for up to 70 s", 2},
    FaultRow{"46", "its clock jumps ahead by up to an hour", 1},
    FaultRow{"-", "a GangPlan deleted by somebody", 2},
    FaultRow{"-", "a gang created", 10},
    FaultRow{"-", "pods of no gang created", 4},
    FaultRow{"-", "a node added", 3},
    FaultRow{"-", "a node mended", 8},
    FaultRow{"-", "a foreign gate opened", 3},
};
static_assert(fault_rows.size() == static_cast<std::size_t>(Fault::gate_opens) + 1);

[[nodiscard]] constexpr const FaultRow& row_of(Fault fault) {
    return fault_rows[static_cast<std::size_t>(fault)];
}

}  // namespace echelon::simulator

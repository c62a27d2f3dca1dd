#pragma once

// The state machine of one gang: what is planned, who waits at the barrier, what is committed. Data only; the
// transitions are in planning.cpp, release.cpp, barrier.cpp and commit.cpp, and drawn in ARCHITECTURE.md.

#include "engine/engine.hpp"
#include "engine/quorum.hpp"
#include "model/gang.hpp"
#include "model/plan_record.hpp"
#include "model/write.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace echelon::engine {

inline constexpr Time never = Time::max();

// One member with a seat, from the plan until the watch shows it bound.
struct SeatState {
    // What the API server is asked for, one thing at a time, so that a member gets its seat before it loses its gate.
    enum class Release : std::uint8_t { to_nominate, nominating, to_ungate, ungating, released };
    // The way of a member whose bind call has come.
    enum class Binding : std::uint8_t {
        idle,      // No call yet, or its caller left before the commit.
        arrived,   // At the barrier.
        posting,   // POST under way.
        settling,  // Outcome unknown: being read back, or waiting to be posted again.
        posted,    // The API server said yes; the watch hasn't shown it yet.
    };

    model::PodRef pod;
    std::string node;
    Release release = Release::to_nominate;
    Binding binding = Binding::idle;
    bool was_refused = false;  // kube-scheduler was told no since the seat exists, or before it.
    std::uint64_t call = 0;    // The bind call that waits; 0: none.
    Time deadline = never;     // Of that call.
    Time retry_at = never;     // A failed write is tried again then.
    Time kick_at = never;      // Wake the member if it hasn't come by then.
    std::uint32_t kicks = 0;
    std::uint32_t write_failures = 0;
    std::uint32_t misses = 0;             // Longer lists without the planned node (rule R3).
    bool post_next = false;               // Settling: it was read and isn't bound; post it at `retry_at`.
    std::uint32_t leaf = model::nowhere;  // Its group in `GangState::quorum`.
};

// The API server was asked to bind it, and may have done so.
[[nodiscard]] inline bool is_under_way(const SeatState& seat) {
    return seat.binding != SeatState::Binding::idle && seat.binding != SeatState::Binding::arrived;
}

// A member as the last look at the tree saw it.
struct MemberRow {
    std::string uid;
    std::string pod;                      // "namespace/name".
    std::string node;                     // Bound there; empty: not bound.
    std::uint32_t leaf = model::nowhere;  // Its group in `GangState::quorum`.
};

// A group object of the tree, as the last look saw it.
struct TreeObject {
    model::GroupKey key;
    std::string uid;
    std::int64_t generation = 0;
};

struct RefusalState {
    model::Reason reason = model::Reason::incomplete;
    std::string group;
    std::string level;
    std::string sentence;  // Latched: stays until reason, group or level change (rule R15).
};

struct GangState {
    model::GroupKey root;

    // --- Planning.
    Time due = never;              // When to plan; never: nothing has changed.
    Time first_arrival = never;    // Of the arrivals that are settling; never: none.
    Time not_before = Time{0};     // Back-off after a refusal or a given-back hold.
    std::uint32_t refusals = 0;    // In a row, without a change of the gang itself.
    std::uint32_t setbacks = 0;    // Barrier time-outs in a row.
    std::uint32_t give_backs = 0;  // Holds in a row that were given back (rule B8); 0 again once bound.
    std::optional<RefusalState> refusal;
    bool wants_room = false;  // Members wait without a seat: more room may help.
    std::string message;      // Of a placed gang: extras left waiting.
    std::int64_t priority = 0;
    std::int64_t created = 0;

    // --- The plan. Seats exist from the plan until the watch shows the pod bound.
    enum class Commit : std::uint8_t {
        none,
        recording,  // The record is being written.
        committed,  // The record is written: bindings may be posted. From the first one on only forward (I6).
    };
    Commit commit = Commit::none;
    std::int64_t epoch = 0;
    std::map<std::string, SeatState> seats;  // By pod UID.
    Time expires_at = never;                 // Of the hold, while nothing is committed.
    bool was_bound = false;                  // Every minimum was bound once: below it again is Degraded.
    bool is_adopted = false;                 // The record of an earlier run was looked at.

    // --- Is the plan one of the tree as the API server has it? (rule X2)
    enum class Check : std::uint8_t {
        needed,
        reading,
        passed,  // Every object that the plan was made from still has its generation.
    };
    Check check = Check::needed;
    std::map<std::uint64_t, TreeObject> group_reads;  // Under way, by write.
    Time check_at = never;                            // After one that failed: nothing is committed before.
    std::uint32_t check_failures = 0;

    // --- The tree as of the last look.
    Quorum quorum;
    std::vector<MemberRow> members;   // In tree order.
    std::vector<TreeObject> objects;  // Each once; none in a gang by labels.
    std::vector<model::RecordedGroup> groups;
    std::int64_t generation = 0;  // Of the root object.

    // --- The GangPlan object.
    std::string record_name;
    std::optional<model::PlanRecord> written;  // As the API server has it, as far as is known.
    std::uint64_t record_write = 0;            // Under way; 0: none.
    bool record_is_commit = false;             // The one under way is the commit record.
    Time record_at = never;                    // When to write it next.
    std::uint32_t record_failures = 0;

    bool verdicts_stale = true;
    bool barrier_stale = false;  // Somebody arrived or was bound: count again.

    // What this gang adds to the gauges of Stats.
    struct Counted {
        bool is_counted = false;
        model::Phase phase = model::Phase::pending;
        std::optional<model::Reason> reason;
        std::uint32_t held_seats = 0;
        std::uint32_t committed_seats = 0;
    };
    Counted counted;

    [[nodiscard]] bool is_dirty() const { return due != never; }
};

}  // namespace echelon::engine

#pragma once

// The state machine of one gang: what is planned, who waits at the barrier, what is committed. Data only; the
// transitions are in planning.cpp, release.cpp, barrier.cpp and commit.cpp, and drawn in ARCHITECTURE.md.

#include "engine/claims.hpp"
#include "engine/engine.hpp"
#include "engine/gang/quorum.hpp"
#include "engine/publish/figures.hpp"
#include "model/cluster/cluster.hpp"
#include "model/facts/plan_record.hpp"
#include "model/facts/write.hpp"
#include "model/gang/gang.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::engine {

inline constexpr Time never = Time::max();

// Where a gang stands, as a whole. Derived from its facts, never stored as a decision; `transitions` is the law that
// what happens to them has to obey, and the table in ARCHITECTURE.md says the same.
enum class Stage : std::uint8_t { pending, held, recording, committed, bound, degraded };

struct Transition {
    Stage from;
    Stage to;
    std::string_view why;
};

inline constexpr std::array transitions = {
    Transition{Stage::pending, Stage::held, "a plan is found"},
    Transition{Stage::pending, Stage::committed, "the commit record of an earlier run or leader is found"},
    Transition{Stage::pending, Stage::bound, "others have bound every minimum"},
    Transition{Stage::pending, Stage::degraded, "a record says that it was Bound, and members are gone since"},
    Transition{Stage::held, Stage::pending, "the hold is broken, has expired, or is given back"},
    Transition{Stage::held, Stage::recording, "the quorum has arrived"},
    Transition{Stage::held, Stage::bound,
               "others have bound every minimum, or the minimum was lowered to what is bound"},
    Transition{Stage::recording, Stage::committed, "the record is written"},
    Transition{Stage::recording, Stage::held, "the quorum is lost, the record is refused, or the tree has changed"},
    Transition{Stage::recording, Stage::pending, "the hold is broken meanwhile"},
    Transition{Stage::recording, Stage::bound, "others have bound every minimum meanwhile"},
    Transition{Stage::recording, Stage::degraded,
               "the record of replacements is refused, or this echelon no longer leads"},
    Transition{Stage::committed, Stage::bound, "every minimum is bound"},
    Transition{Stage::committed, Stage::held, "the quorum is lost, or the tree has changed, before the first binding"},
    Transition{Stage::committed, Stage::pending,
               "the seats are lost before the first binding, or this echelon no longer leads"},
    Transition{Stage::committed, Stage::degraded,
               "replacements are given up, since this echelon no longer leads, or wait for another commit"},
    Transition{Stage::bound, Stage::degraded, "below a minimum"},
    Transition{Stage::bound, Stage::committed, "below a minimum while bindings are under way"},
    Transition{Stage::bound, Stage::recording, "more members have arrived of a group whose running ones don't count"},
    Transition{Stage::degraded, Stage::recording, "replacements have arrived"},
    Transition{Stage::degraded, Stage::bound, "others have replaced what was missing, or the minimum was lowered"},
    Transition{Stage::degraded, Stage::held, "every bound member is gone, and a new plan is found"},
    Transition{Stage::degraded, Stage::pending, "every bound member is gone"},
};

[[nodiscard]] constexpr bool may_follow(Stage from, Stage to) {
    for (const auto& transition : transitions) {
        if (transition.from == from && transition.to == to)
            return true;
    }
    return false;
}

// "Pending", "recording": as the table has them. Those that a GangPlan shows have its words.
[[nodiscard]] constexpr std::string_view to_string(Stage stage) {
    constexpr std::array<std::string_view, 6> names = {"Pending",   "Held",  "recording",
                                                       "committed", "Bound", "Degraded"};
    return names[static_cast<std::size_t>(stage)];
}

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
    bool was_refused_by_filter = false;  // kube-scheduler was told no since the seat exists, or before it.
    std::uint64_t call = 0;              // The bind call that waits; 0: none.
    Time deadline = never;               // Of that call.
    Time arrived_at = never;             // At the barrier; never: it doesn't wait there.
    Time retry_at = never;               // A failed write is tried again then.
    Time kick_at = never;                // Wake the member if it hasn't come by then.
    std::uint32_t kicks = 0;
    std::uint32_t write_failures = 0;
    std::uint32_t offers_without_seat = 0;  // Longer lists without the planned node (rule R3).
    bool is_next_to_post = false;           // Settling: it was read and isn't bound; post it at `retry_at`.
    std::uint32_t leaf = model::nowhere;    // Its group in `GangState::quorum`.
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

// A seat for a member that doesn't exist yet (H2, H3). Its room is in the ledger under the placeholder's name.
struct PlaceholderSeat {
    model::GroupKey leaf;
    std::string node;
};

struct RefusalState {
    model::Reason reason = model::Reason::incomplete;
    std::string group;
    std::string level;
    std::string sentence;  // Latched: stays until reason, group or level change (rule R15).
};

// More room wouldn't help: members or groups are missing, or can't be understood.
[[nodiscard]] constexpr bool needs_facts(model::Reason reason) {
    return reason == model::Reason::incomplete || reason == model::Reason::invalid;
}

struct GangState {
    model::GroupKey root;

    // --- Planning.
    Time due = never;                      // When to plan; never: nothing has changed.
    Time first_unplanned_arrival = never;  // Of the arrivals that are settling; never: none.
    Time not_before = Time{0};             // Back-off after a refusal or a given-back hold.
    std::uint32_t refusals = 0;            // In a row, without a change of the gang itself.
    std::uint32_t setbacks = 0;            // Barrier time-outs in a row.
    std::uint32_t holds_released = 0;      // Holds in a row that were given back (rule B8); 0 again once bound.
    std::optional<RefusalState> refusal;
    Time starving_since = never;           // Refused for want of room ever since.
    Time claim_at = never;                 // When it may claim a domain (Q5).
    std::uint32_t reservations_tried = 0;  // That ended without a place for it.
    std::vector<DomainId> domains_tried;   // Of those claims.
    bool has_unseated_members = false;     // Members wait without a seat: more room may help.
    std::string message;                   // Of a placed gang: extras left waiting.
    std::int64_t priority = 0;
    std::int64_t created = 0;
    struct Rank {               // Its place in the queue, by facts alone.
        bool is_bound = false;  // Some member is.
        std::int64_t priority = 0;
        std::int64_t created = 0;
        std::optional<bool> is_sound = {};  // It has no problem; not known: not asked yet.
    };
    std::optional<Rank> rank;  // Until facts change or it is planned.
    std::optional<Time>
        hard_until;        // A short search has left it open; the long one waits for equals, till then at most.
    Time seen_at = never;  // First; never: it was there before us, or every minimum has been bound since.

    // --- The plan. Seats exist from the plan until the watch shows the pod bound.
    enum class Commit : std::uint8_t {
        none,
        recording,  // The record is being written.
        committed,  // The record is written: bindings may be posted. From the first one on only forward (I6).
    };
    Commit commit = Commit::none;
    std::int64_t epoch = 0;
    std::int64_t committed_epoch = 0;                     // Of the plan that the commit record has in it.
    std::map<std::string, SeatState> seats;               // By pod UID.
    std::map<std::string, PlaceholderSeat> placeholders;  // By the name of the placeholder.
    Time placeholders_until = never;                      // When their room is given back; never: nobody is bound yet.
    bool have_placeholders_expired = false;               // It was: late members are on their own (H5).
    Time expires_at = never;                              // Of the hold, while nothing is committed.
    std::int64_t score = 0;                               // Of the last plan, in per mille.
    std::optional<std::pair<std::string, std::int64_t>>
        written_score;        // UID of the object and the score that it was given.
    bool was_bound = false;   // Every minimum was bound once: below it again is Degraded.
    bool is_adopted = false;  // The record of an earlier run was looked at.

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

    // Where only members count that wait (KP4): those that were bound or had ended when the others were planned. Fixed
    // while a commit is under way, so that who is bound by it goes on counting.
    model::RunningBefore ran_before;
    // While a commit is under way: UIDs of those who were in it when so many of their group were bound as it needs.
    std::set<std::string> came_in_time;
    bool was_commit_adopted = false;  // It goes on from a record of an earlier run, and none was written since.

    // --- The tree as of the last look.
    Quorum quorum;
    std::map<std::string, std::uint32_t> row_of;  // UID -> index of `members`.
    mutable std::optional<bool> is_bound_known;   // `is_bound`, until something changes that it is made of.
    std::vector<MemberRow> members;               // In tree order.
    std::map<std::string, std::string>
        previous_nodes;               // Pod -> node, of bound members that went: their successors' first.
    std::vector<TreeObject> objects;  // Each once; none in a gang by labels.
    std::vector<model::RecordedGroup> groups;
    std::int64_t generation = 0;          // Of the root object.
    std::optional<std::int64_t> timeout;  // Seconds that its groups state for held seats; absent: as configured.

    // --- The GangPlan object.
    std::string record_name;
    std::string record_uid;                    // Of the GangPlan, as it was written or seen last; empty: not known.
    std::optional<model::PlanRecord> written;  // As the API server has it, as far as is known.
    std::uint64_t record_write = 0;            // Under way; 0: none.
    bool record_is_commit = false;             // The one under way is the commit record.
    Time record_at = never;                    // When to write it next.
    std::uint32_t record_failures = 0;

    Time clear_nominations_at = never;  // When to look for nominations that no seat stands behind any more.

    // --- Events: what was told of it last, and when each was told.
    using Told = std::pair<model::Phase, std::string>;  // Phase and reason.
    std::optional<Told> told;
    std::map<Told, Time> told_at;

    bool answers_stale = true;
    bool barrier_stale = false;  // Somebody arrived or was bound: count again.

    Stage stage = Stage::pending;  // As it was seen last; kept only where transitions are checked.

    GangShare counted;

    [[nodiscard]] bool is_dirty() const { return due != never; }
};

}  // namespace echelon::engine

#pragma once

// Which state does each class of the engine keep for one gang? One struct per class, and only that class writes it.
//
// Plain values.

#include "base/text.hpp"
#include "engine/reserve/domain_reservations.hpp"
#include "engine/time.hpp"
#include "model/facts/plan_record.hpp"
#include "model/gang/gang.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace echelon::engine {

// State of `PlanQueue`: when the gang is planned.
struct DueState {
    Time due = never;                      // Never: nothing has changed.
    Time first_unplanned_arrival = never;  // First arrival since the last planning; never: none.
    // Which of the members that the gang declares have come, as far as was judged since the last planning.
    enum class Arrived : std::uint8_t { unknown, minimum, all };
    Arrived arrived = Arrived::unknown;
    std::int64_t unjudged_arrivals = 0;  // How many may come before that is judged again.
    Time last_hurried = never;           // Last planning that did not wait for all of `settle`; never: none.
    Time rests_until = Time{0};          // A gang without seats is not planned for facts before this time.
    Time not_before = Time{0};           // Back-off after a refusal or a released hold.
    Time no_search_before = Time{0};     // Rest after a search that ended at its budget.
    std::uint32_t refusals = 0;          // In a row, without a change of the gang itself.
    std::uint32_t changes = 0;           // How often facts about the gang have changed.
    std::uint32_t changes_taken = 0;     // `changes` when its holds were renewed.
    Time planned_at = never;             // The last planning; never: none yet.
    std::uint32_t plannings = 0;         // At that time.
    bool is_searching = false;           // A long search for it runs outside the steps.

    struct Rank {                // Place in the queue, from facts alone.
        bool has_begun = false;  // 0 < bound < minimum (Q11).
        std::int64_t priority = 0;
        std::int64_t created = 0;
        std::optional<bool> is_sound = {};  // The gang has no problem; nullopt: unknown yet.
    };
    std::optional<Rank> rank;  // Cached until facts change or the gang is planned.
    // Set after a short search was inconclusive: the next search is a long one. Before this time, gangs of equal
    // priority go first.
    std::optional<Time> defers_until;
};

struct RefusalState {
    model::Reason reason = model::Reason::incomplete;
    std::string group;
    std::string level;
    std::string sentence;        // For the pods; stays the same until reason, group or level change (rule R15).
    std::string latest;          // With the numbers of the last planning; empty: they are the same.
    bool came_too_late = false;  // What the commit under way lacks waits for the next one (KP4).

    // For the GangPlan.
    [[nodiscard]] const std::string& newest() const { return latest.empty() ? sentence : latest; }
};

// True if more room would not help: members or groups are missing, or a declaration is invalid.
[[nodiscard]] constexpr bool needs_facts(model::Reason reason) {
    return reason == model::Reason::incomplete || reason == model::Reason::invalid;
}

// State of `TreeRefresher`: what the last planning saw. Members and minimums are in the roster.
struct TreeState {
    std::int64_t priority = 0;
    std::int64_t created = 0;
    // For a gang without a root object: creation time of the oldest member seen so far (Q16).
    std::optional<std::int64_t> oldest;
    std::int64_t generation = 0;                   // metadata.generation of the root object.
    std::vector<base::Text> scheduler_names = {};  // Those of the pods, or of the last ones; sorted.
    // Pod name -> node, for bound members that left. Their successors go there first.
    std::map<std::string, std::string> previous_nodes;
};

// State of `PlanOutcome`: the result of the last planning.
struct PlanState {
    std::optional<RefusalState> refusal;
    bool has_unseated_members = false;     // Members wait without a seat, so more room may help.
    bool extras_wait_for_minimum = false;  // Extras are planned once the minimum is bound (Q11).
    std::string message;                   // For a placed gang: which extras still wait.
    std::vector<model::RecordedGroup> groups;
    std::int64_t score = 0;  // How well preferred levels are met, in per mille.
};

// State of `Starvation`: how long the gang has been refused for lack of room.
struct StarvationState {
    std::string root_uid;  // UID of the root object that was refused; empty: there is none.
    Time since = never;
    Time reserve_at = never;               // When it may reserve a domain (Q5).
    Time paused_at = never;                // When more than room began to be missing, and its age stopped (Q16).
    Time left{0};                          // Time left until `reserve_at`, while paused.
    std::uint32_t reservations_tried = 0;  // Reservations that ended without a placement.
    std::vector<DomainId> domains_tried;   // Domains of those reservations.
};

// State of `Placeholders`.
struct PlaceholderState {
    // When the seats of a leaf's late members are released. Afterwards they get no promised seats any more (H5).
    std::map<model::GroupKey, Time> until;
    Time next = never;  // The first of these times whose leaf has placeholders; never: no member is bound yet.
};

// A seat for a member that doesn't exist yet (H2, H3). The ledger holds its room under the placeholder's name.
struct PlaceholderSeat {
    model::GroupKey leaf;
    base::Text node;
};

// State of `Seating`: how long the seats are held. The seats themselves are in the roster.
struct HoldState {
    std::map<std::string, PlaceholderSeat> placeholders;  // By name.
    Time expires_at = never;                              // While nothing is committed.
    std::uint32_t setbacks = 0;                           // Consecutive barrier time-outs.
    // Holds released one after another because of time-outs (rule B8); 0 again once bound.
    std::uint32_t holds_released = 0;
    std::optional<std::int64_t> timeout;  // Hold time-out in seconds, as its groups state it; nullopt: as configured.
};

// A pod that is evicted for the gang.
struct ClearingVictim {
    enum class Step : std::uint8_t {
        waiting,   // No eviction was requested yet.
        evicting,  // An eviction was requested and has no answer yet.
        evicted,   // The API server has accepted it, or the pod was gone when it was asked.
        leaving,   // The pod ends, or has ended, by itself.
    };
    model::RecordedVictim facts;
    model::Amounts requests;
    bool has_budget = false;  // A disruption budget selects it: such pods go first.
    Step step = Step::waiting;
    Time retry_at = Time{0};
    std::uint32_t failures = 0;
};

// State of `Clearings`: the pods that have to go before the gang may use their room (P2).
struct ClearingState {
    std::vector<ClearingVictim> victims;  // After the clearing: those that were evicted and still exist.
    std::string profile;                  // schedulerName of the gang's members.
    std::optional<DomainId> domain;       // The domain of the clearing; nullopt: any, since the gang requires no level.
    std::size_t seats = 0;                // Seats that were promised when it began.
    std::int64_t generation = 0;          // metadata.generation of the root object when it began.
    Time began = never;
    Time until = never;          // Deadline of the clearing (P5).
    Time not_before = Time{0};   // Back-off after a clearing, until the gang is bound.
    Time next_choice = Time{0};  // When victims may be chosen again.
    Time replan_at = never;      // When to plan the gang again, since more pods may be evicted then.
    // How often pods had come to be evictable before the last choice, if no pods sufficed. It plans again after more.
    std::optional<std::uint64_t> evictable_changes;
    Time waits_since = never;    // When it began to wait for terminating pods.
    std::uint32_t failures = 0;  // Clearings since the gang was bound.
    std::string sentence;        // Why the last clearing ended, or why none can begin; empty: nothing to report.
};

// A group object of the tree, as of the last refresh.
struct TreeObject {
    model::GroupKey key;
    std::string uid;
    std::int64_t generation = 0;
};

// State of `TreeChecker`: is the plan made from the tree as the API server has it? (rule X2)
struct CheckState {
    enum class Check : std::uint8_t {
        needed,
        reading,
        passed,  // Every object that the plan was made from still has its generation.
    };
    std::vector<TreeObject> objects;  // Each object once; empty for a gang by labels.
    Check check = Check::needed;
    std::map<std::uint64_t, TreeObject> reads;  // Reads in flight, by write number.
    Time retry_at = never;                      // When to check again after a failure: nothing is committed before.
    std::uint32_t failures = 0;
};

// State of `Committer`.
struct CommitState {
    Time first_seen = never;  // Never: the gang is older than this process, or the time until it was bound is reported.
};

// State of `PlanRecords`: the GangPlan object.
struct RecordState {
    std::string name;
    std::string uid;                           // UID of the GangPlan; empty: unknown.
    std::optional<model::PlanRecord> written;  // The last record that the API server is known to have.
    std::uint64_t write = 0;                   // Number of the last write, while it is in flight; 0: none.
    std::uint64_t first_write = 0;             // Of those since the adoption; 0: none.
    bool is_commit = false;                    // The write in flight is the commit record.
    Time due = never;                          // When to write it next.
    std::uint32_t failures = 0;
    std::size_t too_many_seats = 0;     // Of a record that the API server couldn't store; 0: it has stored all.
    bool is_adopted = false;            // The record of an earlier run was read, or there was none.
    bool has_kept = false;              // The API server has kept a record since the adoption.
    std::int64_t epoch = 0;             // Grows with each new plan.
    std::int64_t kept_epoch = -1;       // Epoch of the last record that the API server has kept.
    bool is_served = true;              // False once the API server says that it serves no GangPlans.
    std::int64_t committed_epoch = 0;   // Epoch of the plan in the commit record.
    std::int64_t completed_epoch = -1;  // Epoch when this process last completed a commit.
    // The commit continues the record of an earlier run, and no record was written since.
    bool was_commit_adopted = false;
};

// State of `EventReporter`: what was reported about the gang, and when.
struct ReportedState {
    using Event = std::pair<model::Phase, std::string>;  // Phase and reason.
    std::optional<Event> last;
    std::map<Event, Time> at;
    std::set<std::pair<std::int64_t, std::string>> preempted;  // Epoch, and UID of the object of a victim's gang.
    // UID of the object, and the score that was written on it.
    std::optional<std::pair<std::string, std::int64_t>> written_score;
};

// State of `GroupConditions`: the conditions on the objects of the gang's groups.
struct ConditionState {
    // A group whose object has a field for the condition.
    struct Row {
        model::GroupKey key;
        std::uint32_t group = model::nowhere;  // Index in the quorum; nowhere: not in it.
    };
    // The last condition that this process wrote on one object.
    struct Written {
        bool is_met = false;
        std::string message;
        std::int64_t generation = 0;
        Time at{0};
        bool is_under_way = false;
    };
    std::vector<Row> groups;
    std::map<std::string, Written> written;  // By UID of the object.
    std::size_t under_way = 0;
    bool has_more = false;  // Some were not written, since too many writes are in flight.
    Time due = never;       // When to compare the conditions again.
};

// State of `Releaser`.
struct ReleaseState {
    Time clear_nominations_at = never;      // When to clear nominations that no seat needs any more.
    std::uint32_t clearings_under_way = 0;  // Nominations that are being cleared.
    Time followers_at = never;              // When followers are released at the latest; never: none is kept back.
};

}  // namespace echelon::engine

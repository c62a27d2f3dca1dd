#pragma once

// What does each class of the engine keep of a gang? One struct for each class, written by it alone.
//
// Plain values.

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

// Of `PlanQueue`: when the gang is planned.
struct DueState {
    Time due = never;                      // Never: nothing has changed.
    Time first_unplanned_arrival = never;  // Of the arrivals that are settling; never: none.
    Time not_before = Time{0};             // Back-off after a refusal or a given-back hold.
    std::uint32_t refusals = 0;            // In a row, without a change of the gang itself.
    std::uint32_t changes = 0;             // How often facts about it have changed.
    bool is_searching = false;             // Its long search goes on, apart from the steps.

    struct Rank {               // Its place in the queue, by facts alone.
        bool is_bound = false;  // Some member is.
        std::int64_t priority = 0;
        std::int64_t created = 0;
        std::optional<bool> is_sound = {};  // It has no problem; not known: not asked yet.
    };
    std::optional<Rank> rank;  // Until facts change or it is planned.
    // A short search has left it open; the long one waits for equals, till then at most.
    std::optional<Time> hard_until;
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

// Of `TreeRefresher`: what the last planning saw. Members and minimums are in the roster.
struct TreeState {
    std::int64_t priority = 0;
    std::int64_t created = 0;
    // Of a gang without a root object: when the oldest member was created that it ever had (Q16).
    std::optional<std::int64_t> oldest;
    std::int64_t generation = 0;  // Of the root object.
    std::map<std::string, std::string>
        previous_nodes;  // Pod -> node, of bound members that went: their successors' first.
};

// Of `PlanOutcome`: what came of the last planning.
struct PlanState {
    std::optional<RefusalState> refusal;
    bool has_unseated_members = false;  // Members wait without a seat: more room may help.
    std::string message;                // Of a placed gang: extras left waiting.
    std::vector<model::RecordedGroup> groups;
    std::int64_t score = 0;  // In per mille.
};

// Of `Starvation`: how long the gang has been refused for want of room.
struct StarvationState {
    std::string root_uid;  // Of the root object that was refused; empty: there is none.
    Time since = never;
    Time reserve_at = never;               // When it may reserve a domain (Q5).
    Time paused_at = never;                // It lacks members since then, and does not age (Q16).
    Time left{0};                          // Until it may reserve, once it has them again.
    std::uint32_t reservations_tried = 0;  // That ended without a place for it.
    std::vector<DomainId> domains_tried;   // By those reservations.
};

// Of `Placeholders`.
struct PlaceholderState {
    Time until = never;    // When their room is given back; never: nobody is bound yet.
    bool is_over = false;  // It was: late members are on their own (H5).
};

// A seat for a member that doesn't exist yet (H2, H3). Its room is held under the placeholder's name.
struct PlaceholderSeat {
    model::GroupKey leaf;
    std::string node;
};

// Of `Seating`: how long the seats are held. The seats themselves are in the roster.
struct HoldState {
    std::map<std::string, PlaceholderSeat> placeholders;  // By name.
    Time expires_at = never;                              // While nothing is committed.
    std::uint32_t setbacks = 0;                           // Barrier time-outs in a row.
    std::uint32_t holds_released = 0;     // Holds in a row that were given back (rule B8); 0 again once bound.
    std::optional<std::int64_t> timeout;  // Seconds that its groups state for held seats; absent: as configured.
};

// A pod that has to go for the gang.
struct ClearingVictim {
    enum class Step : std::uint8_t {
        waits,     // The API server wasn't asked yet.
        evicting,  // It was, and has not answered.
        evicted,   // It has accepted, or the pod was gone already.
    };
    model::RecordedVictim facts;
    model::Amounts requests;
    bool has_budget = false;  // A disruption budget selects it: such pods go first.
    Step step = Step::waits;
    Time retry_at = Time{0};
    std::uint32_t failures = 0;
};

// Of `Clearings`: the pods that have to go before the gang may take their room (P2).
struct ClearingState {
    std::vector<ClearingVictim> victims;  // After the end: those that were evicted and are still there.
    std::string profile;                  // Of the gang.
    std::optional<DomainId> domain;       // That it is cleared in; nothing: any, since it requires none.
    std::size_t seats = 0;                // That were promised when it began.
    std::int64_t generation = 0;          // Of the root object then.
    Time began = never;
    Time until = never;          // It has ended by then (P5).
    Time not_before = Time{0};   // Back-off after one that placed nothing.
    Time next_choice = Time{0};  // When victims may be chosen again.
    Time look_again = never;     // The gang is planned then, since budgets may allow more.
    Time waits_since = never;    // For pods that end by themselves.
    std::uint32_t failures = 0;  // In a row.
    std::string sentence;        // Why the last one ended, or why none begins; empty: nothing to say.
};

// A group object of the tree, as the last look saw it.
struct TreeObject {
    model::GroupKey key;
    std::string uid;
    std::int64_t generation = 0;
};

// Of `TreeChecker`: is the plan one of the tree as the API server has it? (rule X2)
struct CheckState {
    enum class Check : std::uint8_t {
        needed,
        reading,
        passed,  // Every object that the plan was made from still has its generation.
    };
    std::vector<TreeObject> objects;  // Each once; none in a gang by labels.
    Check check = Check::needed;
    std::map<std::uint64_t, TreeObject> reads;  // Under way, by write.
    Time retry_at = never;                      // After one that failed: nothing is committed before.
    std::uint32_t failures = 0;
};

// Of `Committer`.
struct CommitState {
    Time first_seen = never;  // Never: it was there before us, or every minimum has been bound since.
};

// Of `PlanRecords`: the GangPlan object.
struct RecordState {
    std::string name;
    std::string uid;                           // As it was written or seen last; empty: not known.
    std::optional<model::PlanRecord> written;  // As the API server has it, as far as is known.
    std::uint64_t write = 0;                   // Under way; 0: none.
    bool is_commit = false;                    // The one under way is the commit record.
    Time due = never;                          // When to write it next.
    std::uint32_t failures = 0;
    bool is_adopted = false;           // The record of an earlier run was looked at.
    bool has_kept = false;             // The API server has kept one since.
    std::int64_t epoch = 0;            // Of the plan.
    std::int64_t kept_epoch = -1;      // Of the last record that the API server has kept.
    bool is_served = true;             // GangPlans are, as far as is known.
    std::int64_t committed_epoch = 0;  // Of the plan that the commit record has in it.
    bool was_commit_adopted = false;  // The commit goes on from a record of an earlier run, and none was written since.
};

// Of `Teller`: what the object of the gang was told last, and when it was told each.
struct ToldState {
    using Told = std::pair<model::Phase, std::string>;  // Phase and reason.
    std::optional<Told> last;
    std::map<Told, Time> at;
    std::set<std::pair<std::int64_t, std::string>> preempted;  // By epoch: UIDs of the objects of victims' gangs.
    std::optional<std::pair<std::string, std::int64_t>>
        written_score;  // UID of the object and the score that it was given.
};

// Of `GroupConditions`: what the objects of its groups were told.
struct ConditionState {
    // A group with an object that has a place for it.
    struct Row {
        model::GroupKey key;
        std::uint32_t group = model::nowhere;  // In the quorum; nowhere: that isn't known of this tree.
    };
    // The last word that was written on one object, by this process.
    struct Said {
        bool is_met = false;
        std::string message;
        std::int64_t generation = 0;
        Time at{0};
        bool is_under_way = false;
    };
    std::vector<Row> groups;
    std::map<std::string, Said> said;  // By UID of the object.
    std::size_t under_way = 0;
    bool has_more = false;  // That wasn't written, since so much is under way.
    Time due = never;       // When to look what is to be written.
};

// Of `Releaser`.
struct ReleaseState {
    Time clear_nominations_at = never;  // When to look for nominations that no seat stands behind any more.
};

}  // namespace echelon::engine

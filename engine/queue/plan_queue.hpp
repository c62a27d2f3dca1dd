#pragma once

// Which gangs are planned next, and when?
//
// A gang whose members are still arriving waits until they have settled, or all that it declares are there. A refused
// gang is tried again when room may have become free. Not thread-safe.

#include "engine/facts.hpp"
#include "engine/gang/gangs.hpp"
#include "engine/queue/step_work.hpp"
#include "engine/wakeups.hpp"

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace echelon::engine {

class PlanQueue {
public:
    PlanQueue(const Facts& facts, Gangs& gangs, Wakeups& wakeups, StepWork& work)
        : facts_(facts), gangs_(gangs), wakeups_(wakeups), work_(work) {}

    // Why a gang has to be planned again.
    enum class Cause : std::uint8_t { facts, arrival };
    void mark(GangState& gang, Cause cause = Cause::facts);
    // True once after each change of facts about the gang: its pods may ask for something else than its holds take.
    bool take_changes(GangState& gang);
    void plan_at(GangState& gang, Time when);  // `never`: the gang leaves the queue.
    // Plans the gang at `until`; while it has no seats, not earlier.
    void hold_off(GangState& gang, Time until);
    // Facts may plan the gang again before that time.
    void end_hold_off(GangState& gang);
    // The gang is being planned now.
    void begin(GangState& gang);
    // The gang was planned so often at this time that one planning seems to ask for the next without end: a bug of
    // echelon. It is planned again a second later, so the step ends (I12).
    [[nodiscard]] bool goes_round(const GangState& gang) const;
    // A short search was inconclusive: a long one follows, after gangs of equal priority or soon at the latest.
    void defer_long_search(GangState& gang);
    // A long search of the gang runs outside the steps. Until it ends the gangs behind it in the queue wait, too: they
    // might take its room.
    void await_search(GangState& gang);
    void end_search(GangState& gang);
    void wait_behind_search(std::span<GangState* const> gangs);
    // The gang's next search is a long one, at once, unless another thread runs such searches.
    void request_long_search(GangState& gang);
    // How a search ended: with a complete answer, or at its budget.
    enum class Search : std::uint8_t { whole, cut };
    void note_search(GangState& gang, Search search);
    // True if the gang is put off: it has no seats, and rests since its last search proved nothing.
    bool put_off_search(GangState& gang);
    void note_refused(GangState& gang, model::Reason reason);
    void note_placed(GangState& gang);
    // Room came while a search of the gang ran, and its plan leaves members without a seat.
    void retry(GangState& gang);
    void forget(GangState& gang);

    // --- Queue order. Gangs with some bound members, but fewer than their minimum, come first (B6, Q11); then
    // priority, age and name decide (Q1). The rank depends on facts alone.
    struct Order {
        std::vector<GangState*> due;       // In queue order, with the gangs whose long search is running.
        std::vector<GangState*> settling;  // More important than some gang that is due; the last to settle first.
    };
    [[nodiscard]] Order order_of_due();
    void rank(GangState& gang);
    // Whether a settling gang has no problem. Evaluated only if another gang would have to wait for it.
    void note_sound(GangState& gang, bool is_sound);

    // Room may have become free: this step schedules refused gangs again.
    void note_freed_room() {
        is_freed_room_noted_ = true;
        ++freed_room_count_;
    }
    // How often freed room was noted.
    [[nodiscard]] std::uint64_t freed_room_count() const { return freed_room_count_; }
    [[nodiscard]] bool is_freed_room_noted() const { return is_freed_room_noted_; }
    // If freed room was noted: schedules every refused gang, none earlier than a gang before it in the queue (Q13).
    void retry_refused();

    // When another gang becomes due; never: none will. The next step continues with those that are due already, unless
    // steps are unbounded.
    [[nodiscard]] Time next_due() const;
    [[nodiscard]] bool is_any_due() const { return !times_.empty() && times_.begin()->first <= facts_.now; }

private:
    using Entry = std::pair<Time, GangState*>;
    struct ByTime {
        using is_transparent = void;
        bool operator()(Time when, const Entry& entry) const { return when < entry.first; }
        bool operator()(const Entry& a, const Entry& b) const {
            return a.first != b.first ? a.first < b.first : a.second->root() < b.second->root();
        }
    };
    using Times = std::set<Entry, ByTime>;
    struct ByRoot {
        bool operator()(const GangState* a, const GangState* b) const { return a->root() < b->root(); }
    };

    // With `plan_at` the only functions that change these times, so due gangs are found without a walk over all gangs.
    void set_arrival(GangState& gang, Time when);
    void set_searching(GangState& gang, bool is_searching);
    // Are all members there that the gang declares?
    void judge_arrivals(GangState& gang);
    // How long after the last arrival the gang is planned: not at all if no other member can come.
    [[nodiscard]] Time settle_time(const DueState& due) const;
    // Gangs that wait for room, by priority, age and name (Q1).
    [[nodiscard]] std::vector<GangState*> refused_in_order();

    const Facts& facts_;
    Gangs& gangs_;
    Wakeups& wakeups_;
    StepWork& work_;
    Times times_;                            // Gangs with a time to be planned at, by time.
    std::set<GangState*, ByRoot> settling_;  // Gangs whose members are still arriving.
    std::set<model::GroupKey> searching_;
    std::set<model::GroupKey> behind_search_;  // Gangs that wait for those searches.
    bool is_freed_room_noted_ = false;
    Time searches_rest_until_{0};  // The last of the rests after searches that proved nothing.
    Time first_rest_until_{0};     // The first refused gangs aren't tried again before this time.
    Time rest_due_{0};             // When those behind them are tried.
    std::uint64_t freed_room_count_ = 0;
};

}  // namespace echelon::engine

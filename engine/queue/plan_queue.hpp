#pragma once

// Which gangs are planned next, and when?
//
// A gang whose members still come waits until they have settled; a refused one is tried again when room may have come.
// Not thread-safe.

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
    enum class News : std::uint8_t { facts, arrival };
    void mark(GangState& gang, News news = News::facts);
    void plan_at(GangState& gang, Time when);
    // Not before then, whatever comes.
    void hold_off(GangState& gang, Time until);
    // It is being planned now.
    void begin(GangState& gang);
    // A short search has left it open: a long one follows, after its equals, or soon at the latest.
    void put_off(GangState& gang);
    // Its long search has begun, apart from the steps. Until it ends those that come after the gang in the queue wait,
    // too: they would take the room that it may get.
    void await_search(GangState& gang);
    void end_search(GangState& gang);
    void wait_behind_search(std::span<GangState* const> gangs);
    // Its next search is a long one, now.
    void hurry(GangState& gang);
    // A search has ended.
    enum class Search : std::uint8_t { whole, cut };
    void note_search(GangState& gang, Search search);
    void note_refused(GangState& gang);
    void note_placed(GangState& gang);
    void forget(GangState& gang);

    // --- Gangs with some bound members, but fewer than their minimum, come first (B6, Q11), then by priority, age and
    // name (Q1). Facts alone give the rank.
    struct Order {
        std::vector<GangState*> due;       // In queue order; also those whose long search goes on.
        std::vector<GangState*> settling;  // The last to settle first.
    };
    [[nodiscard]] Order order_of_due();
    void rank(GangState& gang);
    // Whether a gang that settles has a problem, which is asked only when another one would have to wait for it.
    void note_sound(GangState& gang, bool is_sound);

    // Within a step: refused gangs are tried again.
    void note_room() {
        room_may_have_come_ = true;
        ++room_news_;
    }
    // How often that was said.
    [[nodiscard]] std::uint64_t room_news() const { return room_news_; }
    [[nodiscard]] bool is_room_noted() const { return room_may_have_come_; }
    // If room was noted: gives every refused gang a time to be tried again, none earlier than one that precedes it
    // (Q13).
    void retry_refused();

    // It has a time to be planned at.
    [[nodiscard]] bool is_queued(const model::GroupKey& root) const { return queued_.contains(root); }
    [[nodiscard]] bool is_any_due() const { return !times_.empty() && times_.begin()->first <= facts_.now; }

private:
    using Entry = std::pair<Time, GangState*>;
    struct ByTime {
        bool operator()(const Entry& a, const Entry& b) const {
            return a.first != b.first ? a.first < b.first : a.second->root() < b.second->root();
        }
    };
    using Times = std::set<Entry, ByTime>;

    // The only ways to change these two times: what is due is found without a walk over all gangs.
    void set_due(GangState& gang, Time when);
    void set_arrival(GangState& gang, Time when);
    void set_searching(GangState& gang, bool is_searching);
    // Those that wait for room, by priority, age and name (Q1).
    [[nodiscard]] std::vector<GangState*> refused_in_order();

    const Facts& facts_;
    Gangs& gangs_;
    Wakeups& wakeups_;
    StepWork& work_;
    std::set<model::GroupKey> queued_;    // Those with a time to be planned at.
    Times times_;                         // The same, by that time.
    std::set<model::GroupKey> settling_;  // Those of them whose members still come.
    std::set<model::GroupKey> searching_;
    std::set<model::GroupKey> behind_search_;  // Those that wait for these.
    bool room_may_have_come_ = false;
    std::uint64_t room_news_ = 0;
};

}  // namespace echelon::engine

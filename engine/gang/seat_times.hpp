#pragma once

// Which seats of a gang need attention, and when? Each has deadlines of calls, retries of writes, kicks, and bindings
// to resolve.
//
// Ordered by time, so that due seats are found without a walk over all seats. The seats stay where they are. No clock.

#include "base/text.hpp"
#include "engine/gang/seat_state.hpp"

#include <set>
#include <utility>
#include <vector>

namespace echelon::engine {

class SeatTimes {
public:
    // When a seat needs which attention; never: not at all.
    struct Due {
        Time deadline = never;
        Time unresolved = never;
        Time release = never;
        bool is_ready = false;  // To be nominated or ungated as soon as this echelon may act.
        bool is_at_barrier = false;
    };
    [[nodiscard]] static Due due_of(const SeatState& seat);

    void add(SeatState& seat) { change(seat, {}, due_of(seat)); }
    void remove(SeatState& seat) { change(seat, due_of(seat), {}); }
    // `before`: what was due when the seat was added, or at its last change. Requires: the seat is the same object.
    void change(SeatState& seat, const Due& before) { change(seat, before, due_of(seat)); }

    // Sorted UIDs of seats whose call is past its deadline.
    [[nodiscard]] std::vector<base::Text> overdue(Time now) const;
    // Sorted UIDs of seats whose binding is to be read back or posted again.
    [[nodiscard]] std::vector<base::Text> to_resolve(Time now) const;
    // Seats that are to be nominated, ungated or kicked, in no particular order.
    [[nodiscard]] std::vector<const SeatState*> to_release(Time now) const;
    // Sorted UIDs of seats at the barrier.
    [[nodiscard]] std::vector<base::Text> at_barrier() const;

    [[nodiscard]] Time next_deadline() const { return first(deadlines_); }
    [[nodiscard]] Time next_unresolved() const { return first(unresolved_); }
    [[nodiscard]] Time next_release() const { return first(releases_); }

private:
    using Queue = std::set<std::pair<Time, const SeatState*>>;  // Seats with `never` are left out.
    using Seats = std::vector<SeatState*>;                      // [SeatState::listed_at] A seat is in one list at most.
    void change(SeatState& seat, const Due& before, const Due& now);
    static void join(Seats& seats, SeatState& seat);
    static void leave(Seats& seats, const SeatState& seat);
    [[nodiscard]] static Time first(const Queue& queue) { return queue.empty() ? never : queue.begin()->first; }
    [[nodiscard]] static std::vector<base::Text> due(const Queue& queue, Time now);

    Queue deadlines_;
    Queue unresolved_;
    Queue releases_;
    Seats ready_;
    Seats at_barrier_;
};

}  // namespace echelon::engine

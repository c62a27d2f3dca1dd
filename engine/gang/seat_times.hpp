#pragma once

// Which seats of a gang need attention, and when? Each has deadlines of calls, retries of writes, kicks, and bindings
// to settle.
//
// Ordered by time, so that due seats are found without a walk over all seats. UIDs are views into the seats, which stay
// where they are. No clock.

#include "engine/gang/seat_state.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::engine {

class SeatTimes {
public:
    void add(const SeatState& seat);
    // Requires: the seat is the same object as in `add`, and unchanged.
    void remove(const SeatState& seat);

    // Sorted UIDs of seats whose call is past its deadline.
    [[nodiscard]] std::vector<std::string> overdue(Time now) const;
    // Sorted UIDs of seats whose binding is to be read back or posted again.
    [[nodiscard]] std::vector<std::string> to_settle(Time now) const;
    // UIDs of seats that are to be nominated, ungated or kicked.
    [[nodiscard]] std::vector<std::string> to_release(Time now) const;

    // Sorted UIDs of seats at the barrier.
    [[nodiscard]] std::vector<std::string> at_barrier() const { return {at_barrier_.begin(), at_barrier_.end()}; }

    [[nodiscard]] Time next_deadline() const { return first(deadlines_); }
    [[nodiscard]] Time next_settling() const { return first(settling_); }
    [[nodiscard]] Time next_release() const { return first(releases_); }

private:
    using Queue = std::set<std::pair<Time, std::string_view>>;  // (time, UID); seats with `never` are left out.
    [[nodiscard]] static Time first(const Queue& queue) { return queue.empty() ? never : queue.begin()->first; }
    static void append_due(const Queue& queue, Time now, std::vector<std::string>& uids);

    Queue deadlines_;
    Queue settling_;
    Queue releases_;
    std::set<std::string_view> ready_;  // To be nominated or ungated as soon as this echelon may act.
    std::set<std::string_view> at_barrier_;
};

}  // namespace echelon::engine

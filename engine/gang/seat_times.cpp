#include "engine/gang/seat_times.hpp"

#include <algorithm>

namespace echelon::engine {

namespace {

using Release = SeatState::Release;

bool is_to_be_asked(const SeatState& seat) {
    return seat.release == Release::to_nominate || seat.release == Release::to_ungate;
}

// A seat that is to be nominated or ungated and waits for nothing.
bool is_ready(const SeatState& seat) {
    return seat.binding == SeatState::Binding::idle && is_to_be_asked(seat) && seat.retry_at == never;
}

Time settling_at(const SeatState& seat) {
    return seat.binding == SeatState::Binding::settling ? seat.retry_at : never;
}

Time release_at(const SeatState& seat) {
    if (seat.binding != SeatState::Binding::idle)
        return never;
    if (seat.release == Release::released)
        return seat.kick_at;
    return is_to_be_asked(seat) ? seat.retry_at : never;
}

}  // namespace

void SeatTimes::add(const SeatState& seat) {
    const auto put = [&](Queue& queue, Time when) {
        if (when != never)
            queue.emplace(when, seat.pod.uid);
    };
    put(deadlines_, seat.deadline);
    put(settling_, settling_at(seat));
    put(releases_, release_at(seat));
    if (is_ready(seat))
        ready_.insert(seat.pod.uid);
    if (seat.binding == SeatState::Binding::arrived)
        at_barrier_.insert(seat.pod.uid);
}

void SeatTimes::remove(const SeatState& seat) {
    const auto drop = [&](Queue& queue, Time when) {
        if (when != never)
            queue.erase({when, seat.pod.uid});
    };
    drop(deadlines_, seat.deadline);
    drop(settling_, settling_at(seat));
    drop(releases_, release_at(seat));
    if (is_ready(seat))
        ready_.erase(seat.pod.uid);
    if (seat.binding == SeatState::Binding::arrived)
        at_barrier_.erase(seat.pod.uid);
}

void SeatTimes::append_due(const Queue& queue, Time now, std::vector<std::string>& uids) {
    for (auto at = queue.begin(); at != queue.end() && at->first <= now; ++at)
        uids.emplace_back(at->second);
    std::ranges::sort(uids);
}

std::vector<std::string> SeatTimes::overdue(Time now) const {
    std::vector<std::string> uids;
    append_due(deadlines_, now, uids);
    return uids;
}

std::vector<std::string> SeatTimes::to_settle(Time now) const {
    std::vector<std::string> uids;
    append_due(settling_, now, uids);
    return uids;
}

std::vector<std::string> SeatTimes::to_release(Time now) const {
    std::vector<std::string> uids(ready_.begin(), ready_.end());
    append_due(releases_, now, uids);
    return uids;
}

}  // namespace echelon::engine

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

Time unresolved_at(const SeatState& seat) {
    return seat.binding == SeatState::Binding::unresolved ? seat.retry_at : never;
}

Time release_at(const SeatState& seat) {
    if (seat.binding != SeatState::Binding::idle)
        return never;
    if (seat.release == Release::released)
        return seat.kick_at;
    return is_to_be_asked(seat) ? seat.retry_at : never;
}

}  // namespace

SeatTimes::Due SeatTimes::due_of(const SeatState& seat) {
    return {.deadline = seat.deadline,
            .unresolved = unresolved_at(seat),
            .release = release_at(seat),
            .is_ready = is_ready(seat),
            .is_at_barrier = seat.binding == SeatState::Binding::arrived};
}

void SeatTimes::join(Seats& seats, SeatState& seat) {
    seat.listed_at = static_cast<std::uint32_t>(seats.size());
    seats.push_back(&seat);
}

void SeatTimes::leave(Seats& seats, const SeatState& seat) {
    seats[seat.listed_at] = seats.back();
    seats[seat.listed_at]->listed_at = seat.listed_at;
    seats.pop_back();
}

void SeatTimes::change(SeatState& seat, const Due& before, const Due& now) {
    const auto requeue = [&](Queue& queue, Time former, Time next) {
        if (former == next)
            return;
        if (former != never)
            queue.erase({former, &seat});
        if (next != never)
            queue.emplace(next, &seat);
    };
    requeue(deadlines_, before.deadline, now.deadline);
    requeue(unresolved_, before.unresolved, now.unresolved);
    requeue(releases_, before.release, now.release);
    if (before.is_ready && !now.is_ready)
        leave(ready_, seat);
    if (before.is_at_barrier && !now.is_at_barrier)
        leave(at_barrier_, seat);
    if (now.is_ready && !before.is_ready)
        join(ready_, seat);
    if (now.is_at_barrier && !before.is_at_barrier)
        join(at_barrier_, seat);
}

std::vector<base::Text> SeatTimes::due(const Queue& queue, Time now) {
    std::vector<base::Text> uids;
    for (auto at = queue.begin(); at != queue.end() && at->first <= now; ++at)
        uids.push_back(at->second->pod.uid);
    std::ranges::sort(uids);
    return uids;
}

std::vector<base::Text> SeatTimes::overdue(Time now) const {
    return due(deadlines_, now);
}

std::vector<base::Text> SeatTimes::to_resolve(Time now) const {
    return due(unresolved_, now);
}

std::vector<const SeatState*> SeatTimes::to_release(Time now) const {
    std::vector<const SeatState*> seats(ready_.begin(), ready_.end());
    for (auto at = releases_.begin(); at != releases_.end() && at->first <= now; ++at)
        seats.push_back(at->second);
    return seats;
}

std::vector<base::Text> SeatTimes::at_barrier() const {
    std::vector<base::Text> uids;
    for (const auto* seat : at_barrier_)
        uids.push_back(seat->pod.uid);
    std::ranges::sort(uids);
    return uids;
}

}  // namespace echelon::engine

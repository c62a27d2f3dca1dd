#pragma once

// How far is one member on its way from a planned seat to its node?
//
// Plain values.

#include "base/text.hpp"
#include "engine/time.hpp"
#include "model/facts/write.hpp"
#include "model/gang/gang.hpp"

#include <cstdint>

namespace echelon::engine {

// A member with a seat, from planning until the watch shows it bound.
struct SeatState {
    // The writes before the bind call, one at a time, so that a member is nominated before it loses its gate.
    enum class Release : std::uint8_t { to_nominate, nominating, to_ungate, ungating, released };
    // Progress of a member's bind call.
    enum class Binding : std::uint8_t {
        idle,        // No call yet, or its caller left before the commit.
        arrived,     // At the barrier.
        posting,     // POST in flight.
        unresolved,  // Outcome unknown: the pod is being read, or is about to be posted again.
        posted,      // The API server has accepted; the watch hasn't shown it yet.
    };

    model::PodRef pod;
    base::Text node;
    Release release = Release::to_nominate;
    Binding binding = Binding::idle;
    bool follows = false;                // kube-scheduler places it only beside another pod (D14).
    bool is_kick_under_way = false;      // A kick was written, and the API server hasn't answered.
    bool was_refused_by_filter = false;  // filter has refused the member, so kube-scheduler may have parked it.
    std::uint64_t call = 0;              // The bind call that waits; 0: none.
    Time deadline = never;               // Deadline of that call.
    Time arrived_at = never;             // When it came to the barrier; never: it isn't there.
    Time retry_at = never;               // When to retry a failed write.
    Time kick_at = never;                // When to kick (wake) the member if its bind call hasn't come.
    std::uint32_t kicks = 0;
    std::uint32_t write_failures = 0;
    std::uint32_t offers_without_seat = 0;  // Filter lists of several nodes without the planned one (rule R3).
    bool is_next_to_post = false;           // Unresolved: it was read and isn't bound. Post it at `retry_at`.
    std::uint32_t leaf = model::nowhere;    // The member's leaf in the quorum.
    std::uint32_t place = model::nowhere;   // Index of the row in the roster; nowhere: it has none.
    std::uint32_t listed_at = 0;            // Index in a list of `SeatTimes`, which alone uses it.
};

// True if a binding was posted for the seat: the API server may have bound the member.
[[nodiscard]] inline bool is_under_way(SeatState::Binding binding) {
    return binding != SeatState::Binding::idle && binding != SeatState::Binding::arrived;
}
[[nodiscard]] inline bool is_under_way(const SeatState& seat) {
    return is_under_way(seat.binding);
}

}  // namespace echelon::engine

#pragma once

// How far is one member on its way from a planned seat to its node?
//
// Plain values.

#include "engine/time.hpp"
#include "model/facts/write.hpp"
#include "model/gang/gang.hpp"

#include <cstdint>
#include <string>

namespace echelon::engine {

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
    std::uint32_t leaf = model::nowhere;    // Its group in the quorum of its gang.
};

// The API server was asked to bind it, and may have done so.
[[nodiscard]] inline bool is_under_way(const SeatState& seat) {
    return seat.binding != SeatState::Binding::idle && seat.binding != SeatState::Binding::arrived;
}

}  // namespace echelon::engine

#pragma once

// How does the engine count time? From an arbitrary start, always forward; it never reads a clock.
//
// Constant data.

#include <chrono>

namespace echelon::engine {

// Monotonic time since an arbitrary start.
using Time = std::chrono::milliseconds;

inline constexpr Time never = Time::max();

}  // namespace echelon::engine

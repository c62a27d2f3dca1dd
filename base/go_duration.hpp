#pragma once

// How long is a Go duration such as "1h30m"? Configuration and annotations contain them.
//
// Pure. Accepts exactly what Go's time.ParseDuration accepts.

#include <cstdint>
#include <optional>
#include <string_view>

namespace echelon::base {

// Nanoseconds, with the sign. Nullopt: not a duration, or beyond Go's range (292 years).
[[nodiscard]] std::optional<std::int64_t> nanoseconds_of_go_duration(std::string_view text);

// In units of `unit` nanoseconds; one that has begun counts in full. Requires: neither is negative.
[[nodiscard]] constexpr std::int64_t rounded_up(std::int64_t nanoseconds, std::int64_t unit) {
    return nanoseconds / unit + (nanoseconds % unit == 0 ? 0 : 1);
}

}  // namespace echelon::base

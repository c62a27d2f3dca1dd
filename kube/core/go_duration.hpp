#pragma once

// How many seconds is a Go duration such as "1h30m"? Koordinator's annotations contain them.
//
// Pure. Accepts exactly what Go's time.ParseDuration accepts. `config` has its own parser, since neither layer may use
// the other.

#include <cstdint>
#include <optional>
#include <string_view>

namespace echelon::kube {

// Rounded up to whole seconds; 0 for negative durations. Nullopt: not a duration, or beyond Go's range (292 years).
[[nodiscard]] std::optional<std::int64_t> seconds_of_go_duration(std::string_view text);

}  // namespace echelon::kube

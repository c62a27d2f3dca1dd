#pragma once

// How is a moment written? As Kubernetes writes it: RFC 3339, in UTC.
//
// Pure.

#include <chrono>
#include <string>

namespace echelon::base {

// "2026-01-31T12:00:00Z".
[[nodiscard]] std::string time_text(std::chrono::sys_seconds moment);
// "2026-01-31T12:00:00.000000Z".
[[nodiscard]] std::string time_text_with_microseconds(std::chrono::system_clock::time_point moment);

}  // namespace echelon::base

#pragma once

// What does the section `limits` say, and is each bound within reason? Private to config/.
//
// Not thread-safe.

#include "config/section.hpp"
#include "config/settings.hpp"

namespace echelon::config {

void read_limits(const Value& value, Limits& out, Faults& faults);

}  // namespace echelon::config

#pragma once

// What does the section `health` say? Private to config/.
//
// Not thread-safe.

#include "config/section.hpp"
#include "config/settings.hpp"

namespace echelon::config {

void read_health(const Value& value, Health& out, Faults& faults);

}  // namespace echelon::config

#pragma once

// What does the section `export` say: for which scheduler are topology objects written? Private to config/.
//
// Not thread-safe.

#include "config/section.hpp"
#include "config/settings.hpp"

namespace echelon::config {

void read_export(const Value& value, Settings& out, Faults& faults);

}  // namespace echelon::config

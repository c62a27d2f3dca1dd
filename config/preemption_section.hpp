#pragma once

// What does the section `preemption` say? Private to config/.
//
// Not thread-safe.

#include "config/section.hpp"
#include "config/settings.hpp"

namespace echelon::config {

// Of a profile whose other keys are read.
void read_preempt(Section& section, Profile& profile);
void read_preemption(const Value& value, Preemption& out, Faults& faults);

}  // namespace echelon::config

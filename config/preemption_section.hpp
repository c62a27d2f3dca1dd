#pragma once

// What does the section `preemption` say? Private to config/.
//
// Not thread-safe.

#include "config/section.hpp"
#include "config/settings.hpp"

namespace echelon::config {

// Reads the key `preempt` of a profile.
void read_preempt(Section& section, Profile& profile);
void read_preemption(const Value& value, Preemption& out, Faults& faults);

}  // namespace echelon::config

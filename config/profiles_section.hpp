#pragma once

// What does the section `profiles` say: which pods does echelon handle, and how? Private to config/.
//
// Not thread-safe.

#include "config/section.hpp"
#include "config/settings.hpp"

namespace echelon::config {

// `root`: the whole document.
void read_profiles(Section& root, Settings& out, Faults& faults);

}  // namespace echelon::config

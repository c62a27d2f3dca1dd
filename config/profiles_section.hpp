#pragma once

// What does the section `profiles` say: which pods are ours, and how are they treated? Private to config/.
//
// Not thread-safe.

#include "config/section.hpp"
#include "config/settings.hpp"

namespace echelon::config {

// Of the document.
void read_profiles(Section& root, Settings& out, Faults& faults);

}  // namespace echelon::config

#pragma once

// What must the HTTP edge know of pods of no gang? Which promises bind them, whether nodes are scored for
// them, and what they ask for (PR1, SC1).
//
// Thread-safe.

#include "app/running_settings.hpp"
#include "server/extender/extender.hpp"

namespace echelon::app {

// `settings` must outlive the doors.
void open_plain_doors(server::Backend& doors, const RunningSettings& settings);

}  // namespace echelon::app

#pragma once

// What must the HTTP server know about pods of no gang? Which promises bind them, whether nodes are scored for them,
// and what they request (PR1, SC1).
//
// Thread-safe.

#include "app/running_settings.hpp"
#include "server/extender/extender.hpp"

namespace echelon::app {

// `settings` must outlive `backend`.
void add_plain_pod_hooks(server::Backend& backend, const RunningSettings& settings);

}  // namespace echelon::app

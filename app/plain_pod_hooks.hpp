#pragma once

// What must the HTTP server know about pods of no gang? Which promises bind them, whether nodes are scored for them,
// what they request, and which members kube-scheduler may evict for them (PR1, SC1, PR6).
//
// Thread-safe.

#include "app/engine_loop.hpp"
#include "app/running_settings.hpp"
#include "server/extender/extender.hpp"

namespace echelon::app {

// `settings` and `loop` must outlive `backend`.
void add_plain_pod_hooks(server::Backend& backend, const RunningSettings& settings, EngineLoop& loop);

}  // namespace echelon::app

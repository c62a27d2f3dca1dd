#pragma once

// Is every watched kind listed and applied? The lines of /readyz. Pure.

#include "engine/publish/published_state.hpp"
#include "kube/watch/watcher.hpp"
#include "server/extender/extender.hpp"

#include <vector>

namespace echelon::app {

// `all` empty: the watcher hasn't started yet.
[[nodiscard]] std::vector<server::Check> checks_of(const std::vector<kube::WatchStatus>& all,
                                                   const engine::PublishedState& published);

}  // namespace echelon::app

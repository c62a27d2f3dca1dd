#pragma once

// Is every watched kind listed and applied, and does this echelon lead if it has to? The lines of /readyz. Pure.

#include "engine/publish/published_state.hpp"
#include "kube/watch/watcher.hpp"
#include "server/extender/extender.hpp"

#include <optional>
#include <vector>

namespace echelon::app {

// `all` empty: the watcher hasn't started yet. `leads` nullopt: this echelon needs no lead to be ready.
[[nodiscard]] std::vector<server::Check> checks_of(const std::vector<kube::WatchStatus>& all,
                                                   const engine::PublishedState& published,
                                                   std::optional<bool> leads = {});

}  // namespace echelon::app

#pragma once

// Which changes of the configuration take effect while the service runs, and which need a restart?
//
// Pure.

#include "config/settings.hpp"

#include <string_view>
#include <vector>

namespace echelon::config {

// The changed top-level keys that need a restart, in the order of the file.
[[nodiscard]] std::vector<std::string_view> restart_needed(const Settings& running, const Settings& changed);
// `running` with all changes that need no restart.
[[nodiscard]] Settings apply_change(Settings running, const Settings& changed);

}  // namespace echelon::config

#pragma once

// What of a changed configuration takes effect while running, and what needs a restart?
//
// Pure.

#include "config/settings.hpp"

#include <string_view>
#include <vector>

namespace echelon::config {

// Top-level keys whose changes a running service can't take up: in the order of the file.
[[nodiscard]] std::vector<std::string_view> restart_needed(const Settings& running, const Settings& changed);
// `running` with everything of `changed` that can be taken up.
[[nodiscard]] Settings taken_up(Settings running, const Settings& changed);

}  // namespace echelon::config

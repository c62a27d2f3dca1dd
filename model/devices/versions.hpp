#pragma once

// Which of two semantic versions is newer (semver.org, 2.0.0)? Pure.

#include <optional>
#include <string_view>

namespace echelon::model {

[[nodiscard]] bool is_version(std::string_view text);
// -1, 0 or 1; build metadata doesn't count. nullopt: one of them is no semantic version.
[[nodiscard]] std::optional<int> compare_versions(std::string_view a, std::string_view b);

}  // namespace echelon::model

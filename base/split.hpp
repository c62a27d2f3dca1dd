#pragma once

// What is before and behind the first slash of "namespace/name" or "group/version"?
//
// Pure.

#include <string_view>

namespace echelon::base {

struct Halves {
    std::string_view before;  // Empty without a slash.
    std::string_view behind;  // The whole text without a slash.
};

[[nodiscard]] constexpr Halves split_at_slash(std::string_view text) {
    const auto slash = text.find('/');
    return slash == std::string_view::npos ? Halves{{}, text} : Halves{text.substr(0, slash), text.substr(slash + 1)};
}

}  // namespace echelon::base

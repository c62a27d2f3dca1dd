#pragma once

// How deep do the flow collections ("[", "{") of a YAML text nest?
//
// yaml-cpp scans a whole flow collection before it reports any of it, so depth is bounded before it scans. Pure and
// thread-safe. Linear in the text.

#include <cstddef>
#include <string>
#include <string_view>

namespace echelon::yaml {

// No reader takes more levels than these.
inline constexpr std::size_t deepest_flow = 64;

// The text, or, if flow collections nest deeper, the text up to the first level beyond and the brackets that close it.
// Brackets in scalars and comments don't count.
[[nodiscard]] std::string cut_at_depth(std::string_view text);

}  // namespace echelon::yaml

#pragma once

// What is left of a text when bytes that belong to no UTF-8 character are replaced?
//
// Pure and thread-safe.

#include <string>
#include <string_view>

namespace echelon::kube {

// The text with U+FFFD for each byte that belongs to no UTF-8 character.
[[nodiscard]] std::string as_utf8(std::string_view text);

}  // namespace echelon::kube

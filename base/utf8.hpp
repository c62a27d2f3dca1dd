#pragma once

// Which bytes of a text are UTF-8 characters?
//
// Pure and thread-safe.

#include <cstddef>
#include <string>
#include <string_view>

namespace echelon::base {

inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";  // U+FFFD.

// How many bytes the first character has; 0: it isn't UTF-8 (overlong, a surrogate, cut off, above U+10FFFF).
// Requires: not empty.
[[nodiscard]] std::size_t utf8_size(std::string_view text);

// Replaces each byte that belongs to no UTF-8 character by U+FFFD.
[[nodiscard]] std::string as_utf8(std::string_view text);

// The number of code points: an estimate of the columns that a terminal needs.
[[nodiscard]] std::size_t utf8_width(std::string_view text);

}  // namespace echelon::base

#pragma once

// How is a text cut that is longer than its reader wants? At whole characters, and with a word about it.
//
// Pure.

#include <cstddef>
#include <string>
#include <string_view>

namespace echelon::base {

// At most `most` bytes of a UTF-8 text, without a partial character at the end.
[[nodiscard]] std::string_view beginning(std::string_view text, std::size_t most);

// The text, or as much of it as leaves room for "... (200 of 9000 bytes)" within `most`. What echelon writes into a
// message or condition goes through here (`limits.messageBytes`).
[[nodiscard]] std::string shortened(std::string text, std::size_t most);

}  // namespace echelon::base

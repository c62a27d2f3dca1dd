#pragma once

// Writing JSON by hand: strings with everything escaped that must be. Pure.

#include <string>
#include <string_view>

namespace echelon::server {

// Appends `text` in quotes. Invalid UTF-8 becomes U+FFFD, so that the answer can always be decoded.
void append_quoted(std::string& to, std::string_view text);

// Text of an untrusted source, fit to stand in a sentence: control characters and bad bytes as "?", at most `most`
// bytes.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = 64);

// Length of the first object or array in `text`, leading blanks included; npos: it doesn't end, or none begins.
[[nodiscard]] std::size_t length_of_value(std::string_view text);

}  // namespace echelon::server

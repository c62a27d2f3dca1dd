#pragma once

// How are JSON strings and untrusted texts written into answers? Pure.

#include <string>
#include <string_view>

namespace echelon::server {

// Appends `text` in quotes. Invalid UTF-8 becomes U+FFFD, so that the answer can always be decoded.
void append_quoted(std::string& to, std::string_view text);

// Untrusted text for a sentence: control characters and invalid bytes become "?", at most `most` bytes.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = 64);

// Length of the first object or array in `text`, including leading white space; npos: there is none, or it doesn't end.
[[nodiscard]] std::size_t length_of_value(std::string_view text);

}  // namespace echelon::server

#pragma once

// How are untrusted texts shown in answers, and where does a JSON value end? Pure.

#include <string>
#include <string_view>

namespace echelon::server {

// Untrusted text for a sentence: control characters and invalid bytes become "?", at most `most` bytes.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = 64);

// Length of the first object or array in `text`, including leading white space; npos: there is none, or it doesn't end.
[[nodiscard]] std::size_t length_of_value(std::string_view text);

}  // namespace echelon::server

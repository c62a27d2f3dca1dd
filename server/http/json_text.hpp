#pragma once

// How are untrusted texts shown in answers? Pure.

#include <string>
#include <string_view>

namespace echelon::server {

// Untrusted text for a sentence: control characters and invalid bytes become "?", at most `most` bytes.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = 64);

}  // namespace echelon::server

#pragma once

// How does arbitrary text become valid UTF-8?
//
// Pure and thread-safe.

#include <string>
#include <string_view>

namespace echelon::kube {

// Replaces each byte that belongs to no UTF-8 character by U+FFFD.
[[nodiscard]] std::string as_utf8(std::string_view text);

}  // namespace echelon::kube

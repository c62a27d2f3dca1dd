#pragma once

// Which short text identifies a long one? Pure.

#include <string>
#include <string_view>

namespace echelon::kube {

// 32 hexadecimal digits of the text's SHA-256.
[[nodiscard]] std::string digest_of(std::string_view text);

}  // namespace echelon::kube

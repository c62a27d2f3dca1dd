#pragma once

// How does a long text fit into a ConfigMap, which holds 1 MiB? As gzip in base64. Pure.

#include "base/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace echelon::kube {

// Ignores spaces and line breaks.
[[nodiscard]] base::Result<std::string> decode_base64(std::string_view text);
[[nodiscard]] std::string encode_base64(std::string_view bytes);

[[nodiscard]] std::string pack(std::string_view text);
// An error if `packed` isn't the result of `pack`, or the text is longer than `most` bytes.
[[nodiscard]] base::Result<std::string> unpack(std::string_view packed, std::size_t most);

}  // namespace echelon::kube

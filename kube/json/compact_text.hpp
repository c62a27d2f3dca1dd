#pragma once

// How is a JSON value written for a program? On one line, without spaces.
//
// Pure and thread-safe.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace echelon::kube {

// Bytes that aren't UTF-8 are replaced by U+FFFD, so nothing is thrown.
[[nodiscard]] std::string compact_text(const nlohmann::json& value);

}  // namespace echelon::kube

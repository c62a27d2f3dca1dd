#pragma once

// How is a JSON document printed for people and scripts? Indented by two, keys in the order of the document.
//
// Pure and thread-safe.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace echelon::report {

// Ends with a line feed. Bytes that aren't UTF-8 are replaced by U+FFFD, so nothing is thrown.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& document);

}  // namespace echelon::report

#pragma once

// How does a JSON value look as YAML? Block style, keys in the order of the value, strings quoted where YAML would read
// another type.
//
// Pure and thread-safe. `read_yaml_documents` reads the same value back.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace echelon::kube {

// One document without its marker; ends with a line feed.
[[nodiscard]] std::string yaml_text(const nlohmann::json& document);

}  // namespace echelon::kube

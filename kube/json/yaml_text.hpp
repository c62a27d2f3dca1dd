#pragma once

// How does a value look as YAML? Block style, keys in the order of the value, texts in quotation marks where a reader
// would take them for something else.
//
// Pure and thread-safe. Whatever `read_yaml_documents` makes of the text is the value again.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace echelon::kube {

// One document without its marker; ends with a line feed.
[[nodiscard]] std::string yaml_text(const nlohmann::json& document);

}  // namespace echelon::kube

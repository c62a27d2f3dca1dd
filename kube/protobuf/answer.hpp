#pragma once

// What does the body of an answer say, whether it is JSON or protobuf?
//
// Pure and thread-safe. Never throws.

#include "base/result.hpp"
#include "kube/protobuf/message_shape.hpp"

#include <string_view>

#include <nlohmann/json.hpp>

namespace echelon::kube {

// A Status, or an object of the shape's kind. From protobuf it has only the fields of the shape.
[[nodiscard]] base::Result<nlohmann::json> read_answer(std::string_view content_type, std::string_view body,
                                                       const ObjectShape& shape = status_shape());

}  // namespace echelon::kube

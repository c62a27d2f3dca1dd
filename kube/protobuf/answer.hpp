#pragma once

// What does the body of an answer say, in whichever encoding it came?
//
// Pure and thread-safe. Never throws.

#include "base/result.hpp"
#include "kube/protobuf/message_shape.hpp"

#include <string_view>

#include <nlohmann/json.hpp>

namespace echelon::kube {

// A Status, or an object of the shape's kind, whose unread fields are left out if it came as protobuf.
[[nodiscard]] base::Result<nlohmann::json> read_answer(std::string_view content_type, std::string_view body,
                                                       const ObjectShape& shape = status_shape());

}  // namespace echelon::kube

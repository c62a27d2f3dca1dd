#pragma once

// What does untrusted JSON say: an annotation, a body, a line? The only place that parses such text.
//
// Pure. Size and nesting are checked before parsing, so they bound memory and stack.

#include "base/result.hpp"
#include "model/facts/limits.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace echelon::kube {

// How deep lists and objects nest, even in invalid text. Stops counting beyond `most`.
[[nodiscard]] std::size_t nesting_of(std::string_view text, std::size_t most);

// Parses the JSON of an annotation: at most limits.annotation_bytes long and limits.annotation_depth deep. If a key is
// given twice, the last one counts. Keys that differ only in case are an error, since programs in Go take them for one.
// The error is the end of a sentence: "can't be read", "nests deeper than ...".
[[nodiscard]] base::Result<nlohmann::json> parse_foreign(std::string_view text, const model::Limits& limits);
// Parses JSON within other bounds.
[[nodiscard]] base::Result<nlohmann::json> parse_foreign(std::string_view text, std::size_t most_bytes,
                                                         std::size_t most_depth);

// The member with this key; nullptr if there is none, or `object` is no object.
[[nodiscard]] const nlohmann::json* part_of(const nlohmann::json& object, std::string_view key);
// The member with this key in any case, as programs in Go read it.
[[nodiscard]] const nlohmann::json* part_in_any_case(const nlohmann::json& object, std::string_view key);
// `part_of` if it is a string; "" otherwise.
[[nodiscard]] std::string text_in(const nlohmann::json& object, std::string_view key);
// The string metadata.KEY of an object; "" unless there is one.
[[nodiscard]] std::string metadata_of(const nlohmann::json& object, std::string_view key);

}  // namespace echelon::kube

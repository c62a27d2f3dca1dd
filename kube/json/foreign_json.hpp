#pragma once

// What does JSON say that others have written: an annotation, a body, a line? The one place where such text is parsed.
//
// Pure. Size and nesting are bounded before anything is parsed, so that no text can take memory or stack beyond them.

#include "base/result.hpp"
#include "model/facts/limits.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace echelon::kube {

// How deep lists and objects nest in the text, whatever else is wrong with it. Stops counting beyond `most`.
[[nodiscard]] std::size_t nesting_of(std::string_view text, std::size_t most);

// A whole JSON text of an annotation: at most limits.annotation_bytes long and limits.annotation_depth deep. Of a key
// that is given twice the last one counts. The error is the end of a sentence: "can't be read", "nests deeper than
// ...".
[[nodiscard]] base::Result<nlohmann::json> parse_foreign(std::string_view text, const model::Limits& limits);
// The same within other bounds.
[[nodiscard]] base::Result<nlohmann::json> parse_foreign(std::string_view text, std::size_t most_bytes,
                                                         std::size_t most_depth);

// What an object has under the key; nullptr when it lacks it, or is no object.
[[nodiscard]] const nlohmann::json* part_of(const nlohmann::json& object, std::string_view key);
// The same where it is a text; "" otherwise.
[[nodiscard]] std::string text_in(const nlohmann::json& object, std::string_view key);

}  // namespace echelon::kube

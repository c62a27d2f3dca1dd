#pragma once

// What do the documents of a YAML text mean as JSON? Plain scalars become JSON types by the core schema of YAML 1.2.
//
// Pure and thread-safe. The input is untrusted: nesting is capped, and so are the bytes to which aliases expand. A key
// given twice, merge keys and unknown tags are errors.

#include "base/result.hpp"

#include <cstddef>
#include <functional>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace echelon::kube {

inline constexpr std::size_t deepest_document = 64;              // Levels of objects and lists.
inline constexpr std::size_t most_expanded_bytes = 32UL << 20U;  // By all aliases of one text.

// Called with each document and its number. An error ends the reading, and is returned.
using TakeDocument = std::function<base::Result<void>(nlohmann::json document, std::size_t number)>;

// `first`: the number of the first document. A syntax error reads "document 3: line 12: what is wrong"; `line_offset`
// is added to lines. Empty documents are null.
[[nodiscard]] base::Result<void> read_yaml_documents(std::string_view text, std::size_t first, std::size_t line_offset,
                                                     const TakeDocument& take);

}  // namespace echelon::kube

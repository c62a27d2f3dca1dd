#pragma once

// What do the documents of a YAML text say, as JSON? Plain scalars become JSON types by the core schema of YAML 1.2.
//
// Pure and thread-safe. Made for texts that nobody vouches for: nesting is capped, aliases are counted by what they
// expand to, a key given twice is an error, and merge keys and unknown tags are refused instead of being misread.

#include "base/result.hpp"

#include <cstddef>
#include <functional>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace echelon::kube {

inline constexpr std::size_t deepest_document = 64;              // Objects and lists inside each other.
inline constexpr std::size_t most_expanded_bytes = 32UL << 20U;  // By all aliases of one text.

// Takes each document with its number from 1 on; an error ends the reading and is passed on.
using TakeDocument = std::function<base::Result<void>(nlohmann::json document, std::size_t number)>;

// `first` is the number of the first document. An error of the text itself reads "document 3: line 12: what is wrong";
// lines are counted from `line_offset`. Empty documents are taken as null.
[[nodiscard]] base::Result<void> read_yaml_documents(std::string_view text, std::size_t first, std::size_t line_offset,
                                                     const TakeDocument& take);

}  // namespace echelon::kube

#pragma once

// What is the object of a part of a gang called? The name is a label value, too, by which pods name it.
//
// Pure. One function for all places, so that they can't differ.

#include <string>
#include <string_view>

namespace echelon::translate {

inline constexpr std::size_t longest_written_name = 63;  // Of a label value.

// `wanted` if it may be both an object's name and a label value: lower case letters, digits, "-" and, with `has_dots`,
// ".", at most 63. Otherwise as much of it as may stand there, "-", and a hash of the whole.
[[nodiscard]] std::string written_name(std::string_view wanted, bool has_dots = true);

}  // namespace echelon::translate

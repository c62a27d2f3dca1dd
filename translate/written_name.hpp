#pragma once

// What is the name of the object for a part of a gang? Pods name it in a label, so it is also a label value.
//
// Pure. Used everywhere, so that names always agree.

#include <string>
#include <string_view>

namespace echelon::translate {

inline constexpr std::size_t longest_written_name = 63;  // Maximum of a label value.

// `wanted` if it is valid as an object's name and a label value: at most `longest` lower case letters, digits, "-" and,
// with `has_dots`, ".". Otherwise its valid beginning, "-", and a hash of the whole.
[[nodiscard]] std::string written_name(std::string_view wanted, bool has_dots = true,
                                       std::size_t longest = longest_written_name);

}  // namespace echelon::translate

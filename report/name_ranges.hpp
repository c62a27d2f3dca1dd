#pragma once

// How are many names written in short? "a-0 a-1 a-2 b" becomes "a-[0-2] b". Pure.

#include <string>
#include <vector>

namespace echelon::report {

// In natural order, separated by spaces.
[[nodiscard]] std::string name_ranges(std::vector<std::string> names);

}  // namespace echelon::report

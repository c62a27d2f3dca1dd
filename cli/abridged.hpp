#pragma once

// How are many names said in few words? "a-0 a-1 a-2 b" becomes "a-[0-2] b". Pure.

#include <string>
#include <vector>

namespace echelon::cli {

// In natural order, separated by spaces.
[[nodiscard]] std::string abridged(std::vector<std::string> names);

}  // namespace echelon::cli

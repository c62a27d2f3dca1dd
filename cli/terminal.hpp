#pragma once

// What is at the other end of standard output? A terminal may have colour. A pipe or file may be closed or full.

#include <string>

namespace echelon::cli {

// True if it is a terminal and NO_COLOR isn't set.
[[nodiscard]] bool wants_colour();
// False: standard output is gone or full.
[[nodiscard]] bool write_out(const std::string& text);

}  // namespace echelon::cli

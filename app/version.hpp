#pragma once

// Which build is this?

#include <string>

namespace echelon::app {

// "echelon VERSION (COMMIT)".
[[nodiscard]] std::string version_line();

}  // namespace echelon::app

#pragma once

// Which build is this?

#include <string>

namespace echelon::cli {

// "echelon VERSION (COMMIT)".
[[nodiscard]] std::string version_line();

}  // namespace echelon::cli

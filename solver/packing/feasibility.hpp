#pragma once

// Does something fit, and is "no" proved?
//
// Pure.

#include <cstdint>

namespace echelon::solver {

enum class Feasibility : std::uint8_t { fits, proved_not_to_fit, unknown };

}  // namespace echelon::solver

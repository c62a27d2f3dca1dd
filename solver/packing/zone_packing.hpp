#pragma once

// Do these parts of pods fit into the NUMA zones of one node, each part into one zone? (NU2)
//
// Exact for the small numbers of a node: the largest parts first, all ways to spread equal parts over the zones, no
// state twice. Pure.

#include "solver/packing/feasibility.hpp"
#include "solver/packing/search_budget.hpp"

#include <cstdint>
#include <vector>

namespace echelon::solver {

// Equal parts. Amounts by resource, in one order for zones and parts.
struct EqualParts {
    std::vector<std::int64_t> needs;
    std::int64_t count = 0;

    auto operator<=>(const EqualParts&) const = default;
};

// `zones`: what is available in each. Unknown after a fixed amount of work. Adds the work that it did to `work`.
[[nodiscard]] Feasibility fit_into_zones(std::vector<std::vector<std::int64_t>> zones, std::vector<EqualParts> parts,
                                         Operations& work);

}  // namespace echelon::solver

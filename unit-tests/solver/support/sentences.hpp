#pragma once

// What does the referee say? Its sentences alone, which a failed check prints.

#include "solver/violation.hpp"

#include <string>
#include <vector>

namespace echelon::solver::testing {

inline std::vector<std::string> sentences(const std::vector<Violation>& found) {
    std::vector<std::string> said;
    said.reserve(found.size());
    for (const Violation& violation : found) {
        said.push_back(violation.sentence);
    }
    return said;
}

}  // namespace echelon::solver::testing

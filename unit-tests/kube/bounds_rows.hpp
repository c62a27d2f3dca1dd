#pragma once

// Which bounds does each decoder keep? For `bounds_test.cpp`.

#include "unit-tests/kube/support/hostile.hpp"

#include <vector>

namespace echelon::kube::hostile {

std::vector<Row> rows_of_groups();     // Dialects whose objects are groups.
std::vector<Row> rows_of_workloads();  // Controllers of pods, and our own Gang.
std::vector<Row> rows_of_facts();      // Pods, nodes, topologies and the rest.

}  // namespace echelon::kube::hostile

#pragma once

// How are many seeds run, and how is a failure reported? With seed, step, invariant, and the shortest run that still
// fails.
//
// Not thread-safe; prints to standard output.

#include "unit-tests/simulator/simulation.hpp"

#include <cstdint>
#include <string>

namespace echelon::simulator {

// Everything needed to see the failure again.
[[nodiscard]] std::string told(const Order& order, const Report& failed);
// True: no violation.
bool run_one(const Order& order);
bool run_many(Order order, std::uint64_t first, std::uint64_t count);

struct Found {
    Sabotage sabotage = Sabotage::none;
    std::uint64_t seeds = 0;  // Needed until a violation was found; 0: none was.
    Violation violation;
};
[[nodiscard]] Found hunt(Sabotage sabotage, std::uint64_t most_seeds);
// Prints a table in Markdown: the bug, the invariant that it breaks, and how many seeds were needed.
void print_bugs();

}  // namespace echelon::simulator

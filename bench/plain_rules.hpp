#pragma once

// How would other schedulers choose a node for a pod of no gang? Implements their rules for the simulation.

#include "simulate/plain_placer.hpp"
#include "simulate/trace.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace echelon::bench {

struct NamedPlainRule {
    std::string name;
    simulate::PlainRule rule;
};

// Random, MostAllocated, BestFit, LeastAllocated, fullest GPU node first, FGD (ATC'23). FGD knows the mix of the whole
// trace, as in its paper.
[[nodiscard]] std::vector<NamedPlainRule> plain_rules(const simulate::Trace& trace, std::uint64_t seed);

}  // namespace echelon::bench

#pragma once

// How would other schedulers choose the domain of a gang? Implements their rules for the simulation.

#include "simulate/gang_placer.hpp"
#include "simulate/world.hpp"

#include <string>
#include <vector>

namespace echelon::bench {

struct NamedGangRule {
    std::string name;
    simulate::GangRule rule;
};

// Best fit (Kueue), fullest (KAI), emptiest. Each chooses a domain of the narrowest required level, and within it the
// domains of the next narrower level one after another in the same order. The world must outlive the rules.
[[nodiscard]] std::vector<NamedGangRule> gang_rules(const simulate::World& world);

}  // namespace echelon::bench

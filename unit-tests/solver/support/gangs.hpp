#pragma once

// How does a test ask for an answer, and say "all of these groups" or "two of those"? Every plan passes the referee.

#include "solver/solve.hpp"
#include "solver/violations.hpp"
#include "unit-tests/solver/support/world.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::solver::testing {

inline Plan placed(const World& world) {
    const Answer answer = world.solve();
    const Refusal* refusal = std::get_if<Refusal>(&answer);
    CAPTURE((refusal != nullptr ? refusal->sentence : std::string{}));
    REQUIRE(refusal == nullptr);
    Plan plan = std::get<Plan>(answer);
    const std::vector<Violation> broken = violations(world.snapshot, world.gang, plan);
    CAPTURE((broken.empty() ? std::string{} : broken.front().sentence));
    REQUIRE(broken.empty());
    return plan;
}

inline Refusal refused(const World& world) {
    const Answer answer = world.solve();
    REQUIRE(std::holds_alternative<Refusal>(answer));
    return std::get<Refusal>(answer);
}

inline std::vector<NodeSpec> hosts(const std::vector<std::int64_t>& gpus) {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", gpus);
    return nodes;
}

inline World world_of(std::vector<NodeSpec> nodes, const GroupSpec& root) {
    return WorldBuilder({block, rack}, std::move(nodes)).with(root);
}

inline GroupSpec leaf(const std::string& name, std::int64_t minimum, std::vector<PodSpec> members,
                      std::vector<std::string> required = {}) {
    return {.name = name, .minimum = minimum, .pods = std::move(members), .required = std::move(required)};
}

inline GroupSpec all_of(std::vector<GroupSpec> children, std::vector<std::string> required = {}) {
    const auto minimum = static_cast<std::int64_t>(children.size());
    return {.name = "job", .minimum = minimum, .children = std::move(children), .required = std::move(required)};
}

inline GroupSpec some_of(std::int64_t minimum, std::vector<GroupSpec> children,
                         std::vector<std::string> required = {}) {
    GroupSpec group = all_of(std::move(children), std::move(required));
    group.minimum = minimum;
    return group;
}

}  // namespace echelon::solver::testing

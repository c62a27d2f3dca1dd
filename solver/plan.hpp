#pragma once

// The two answers of the solver: a plan for the whole gang, or a refusal that says why not. Plain values.

#include "model/gang/gang.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace echelon::solver {

struct Seat {
    std::uint32_t member = 0;  // Index into Gang::members; the member is waiting.
    model::NodeId node = 0;

    auto operator<=>(const Seat&) const = default;
};

// Seats that meet every minimum, and as many extras as fit.
struct Plan {
    std::vector<Seat> seats;  // By member index. Empty when what is bound suffices and nothing more fits.
    // For people: extras left waiting, pods not created yet, warnings of the gang. Empty: nothing to say.
    std::string message;
    std::uint64_t steps = 0;  // Budget used.
};

// Why there is no plan. Not an error: most gangs get one while the cluster is full.
struct Refusal {
    model::Reason reason = model::Reason::no_room;
    std::string group;     // "namespace/name" of the deepest group that couldn't be placed.
    std::string level;     // Key of the level where it failed; empty: anywhere in the cluster.
    std::string sentence;  // For people: which group, which level, the best domain, what is missing. No period.
    std::uint64_t steps = 0;

    [[nodiscard]] bool is_proved() const { return model::is_proved(reason); }
};

using Answer = std::variant<Plan, Refusal>;

}  // namespace echelon::solver

#pragma once

// Which pods must be evicted so that a whole gang fits, and no others? The victims of a preemption.
//
// A set of victims is whole units (U1), each of lower priority and evictable (U3). Sets compare by cost: the highest
// priority, then roots that fall below their minimum, then pods, then work lost, then names. Where at most 12 units
// can matter the answer is the least set there is (V3). No victims are named unless the referee accepts the plan that
// their eviction makes possible (V1). If any one unit stayed, the gang would not fit (V2).
//
// Pure, in counted steps, deterministic.

#include "model/gang/gang.hpp"
#include "model/gang/running_gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"
#include "solver/solve.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace echelon::solver::preemption {

struct Rules {
    std::int64_t most_pods = 512;                  // Larger sets of victims are not considered.
    SolveOptions budget = {.steps = 25'000};       // For all searches together.
    SolveOptions budget_of_plan = SolveOptions{};  // For the plan in the cluster without the victims.
};

struct Victim {
    std::string pod;  // "namespace/name".
    std::string uid;
    std::string gang;  // "namespace/name" of the gang's root; empty: none.
    model::NodeId node = 0;
    std::int64_t priority = 0;  // Of the gang's root.
    model::Amounts requests;

    bool operator==(const Victim&) const = default;
};

struct Eviction {
    std::vector<Victim> victims;  // By gang, then pod.
    Plan plan;                    // For the gang, once they are gone.
    std::int64_t roots = 0;       // Gangs that fall below their minimum.
    bool is_least = false;        // No other allowed set costs less.
    std::uint64_t steps = 0;
};

// Why no pods are evicted.
struct NoEviction {
    enum class Why : std::uint8_t {
        not_enough,     // It would not fit even if every pod that may be evicted were gone.
        not_allowed,    // It would fit then, but budgets or the number of victims forbid each set that suffices.
        out_of_budget,  // No set was found within the steps.
    };
    Why why = Why::not_enough;
    std::string sentence;  // No period.
    std::uint64_t steps = 0;
};

using EvictionAnswer = std::variant<Eviction, NoEviction>;

// Requires: `gang` was built against `snapshot` and is refused with `NoRoom`, which was proved (U5). Room that gangs of
// lower priority only hold counts as free in `snapshot`: taking it costs nothing.
[[nodiscard]] EvictionAnswer choose_victims(const model::Snapshot& snapshot, const model::Gang& gang,
                                            const model::RunningGangs& running, const Rules& rules = {});

}  // namespace echelon::solver::preemption

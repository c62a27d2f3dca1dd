#pragma once

// Which of a few units must be evicted, at the least cost? The exact answer: tries sets of units in the order of their
// cost.
//
// A set that does not suffice is enlarged as long as it still does not. Then no subset suffices either, and all of them
// are skipped. The first set that suffices is the least: every cheaper one was tried or skipped.

#include "solver/preemption/candidates.hpp"
#include "solver/preemption/probe.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace echelon::solver::preemption {

inline constexpr std::size_t most_exact_units = 12;

// What all questions share: the candidates, the probe, the budget, and the largest number of evictions.
struct Terms {
    const Candidates& candidates;
    Probe& probe;
    SearchBudget& budget;
    std::int64_t most_pods = 0;

    // Does the gang fit without the pods of these units?
    [[nodiscard]] bool suffices(std::span<const UnitNumber> units) const { return probe.fits(loss_of(units).pods); }
    [[nodiscard]] Loss loss_of(std::span<const UnitNumber> units) const {
        constexpr Operations per_unit = 64;  // About.
        budget.charge(units.size() * per_unit);
        return candidates.loss_of(units);
    }
    [[nodiscard]] bool accepts(const Loss& loss) const {
        return std::cmp_less_equal(loss.pods.size(), most_pods) && candidates.is_allowed(loss);
    }
};

struct LeastSet {
    std::vector<UnitNumber> units;  // Includes the fixed ones.
    Loss loss;
};

struct LeastAnswer {
    std::optional<LeastSet> least;  // Nullopt: no accepted set suffices and costs less than `below`.
    bool is_certain = true;         // False if the steps ended.
};

// Which sets are of interest?
struct LossBounds {
    std::optional<Loss> below = {};  // Only those of a smaller loss.
    std::int64_t least_pods = 0;     // Only those of at least this many pods: no smaller one suffices.
};

// The least set that holds every unit of `fixed` and some of `open`, at most `most_exact_units`.
[[nodiscard]] LeastAnswer least_set(const Terms& terms, std::span<const UnitNumber> fixed,
                                    std::span<const UnitNumber> open, const LossBounds& bounds = {});

}  // namespace echelon::solver::preemption

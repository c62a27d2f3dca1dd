#pragma once

// Which of a few units must go, at least? The exact answer, by sets of them in the order of their cost.
//
// A set that does not suffice is grown until one more unit would do. None of its subsets suffices either, so they are
// all skipped. The first set that suffices is the least, since every cheaper one was asked about or skipped.

#include "solver/preemption/candidates.hpp"
#include "solver/preemption/probe.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace echelon::solver::preemption {

inline constexpr std::size_t most_exact_units = 12;

// What is asked: pods that may be evicted at most, and the steps that all questions share.
struct Terms {
    const Candidates& candidates;
    Probe& probe;
    SearchBudget& steps;
    std::int64_t most_pods = 0;

    [[nodiscard]] bool accepts(const Loss& loss) const {
        return std::cmp_less_equal(loss.pods.size(), most_pods) && candidates.is_allowed(loss);
    }
};

struct LeastSet {
    std::vector<UnitNumber> units;  // The fixed ones among them.
    Loss loss;
};

struct LeastAnswer {
    std::optional<LeastSet> least;  // Nullopt: none that suffices is accepted, or is less than `below`.
    bool is_certain = true;         // False if the steps ended.
};

// The least set that holds every unit of `fixed` and some of `open`, at most `most_exact_units`. `below`: only sets of
// a smaller loss are of interest.
[[nodiscard]] LeastAnswer least_set(const Terms& terms, std::span<const UnitNumber> fixed,
                                    std::span<const UnitNumber> open, const std::optional<Loss>& below = {});

}  // namespace echelon::solver::preemption

#pragma once

// What does a search find that is too long for a step? Any thread may run it, since it has copies of all that it reads
// (BD4).

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"
#include "solver/solve.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

namespace echelon::engine {

class LongSearch {
public:
    using Stopwatch = std::function<std::chrono::nanoseconds()>;

    LongSearch(model::Snapshot snapshot, model::Gang gang, solver::SolveOptions budget, Stopwatch stopwatch)
        : snapshot_(std::move(snapshot)), gang_(std::move(gang)), budget_(budget), stopwatch_(std::move(stopwatch)) {}

    // Runs the search. At most once, and without concurrent access: the engine waits for `SearchEnded`.
    void run();
    // The answer for a later snapshot, where nodes may have other numbers. Runs the search first if nothing has.
    // nullopt: the gang has other members now, or the plan would break a rule there.
    [[nodiscard]] std::optional<solver::Answer> answer_in(const model::Snapshot& snapshot, const model::Gang& gang);
    // By the stopwatch; 0 without one.
    [[nodiscard]] std::chrono::nanoseconds took() const { return took_; }

private:
    // The same members, and those that are bound or keep a seat on the same nodes.
    [[nodiscard]] bool has_members_of(const model::Gang& gang, const model::Snapshot& snapshot) const;
    [[nodiscard]] std::optional<solver::Plan> moved(const solver::Plan& plan, const model::Snapshot& snapshot) const;

    model::Snapshot snapshot_;
    model::Gang gang_;
    solver::SolveOptions budget_;
    Stopwatch stopwatch_;  // Empty: nothing is measured.
    std::optional<solver::Answer> answer_;
    std::chrono::nanoseconds took_{0};
};

}  // namespace echelon::engine

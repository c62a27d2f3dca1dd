#pragma once

// How much of the budget is used? Counts work, never time, so that a plan doesn't depend on the machine.
//
// Decisions of a search are steps. What a decision costs is counted beside them, in operations, and what the steps so
// far don't pay for becomes further steps: so a budget in steps is a bound in operations, hence in time.

#include <algorithm>
#include <cstdint>

namespace echelon::solver {

// One amount compared or summed, for one node, domain, gauge or size: a nanosecond or two.
using Operations = std::uint64_t;

class SearchBudget {
public:
    static constexpr Operations operations_per_step = 1024;

    explicit SearchBudget(std::uint64_t total) : total_(total), limit_(total) {}

    // False once the present limit is passed; the work must then be wound up.
    [[nodiscard]] bool spend(std::uint64_t steps) {
        used_ += steps;
        return used_ <= limit_;
    }
    // Charges work that was done. Callers charge it soon after.
    void work(Operations operations) {
        operations_ += operations;
        used_ = std::max(used_, operations_ / operations_per_step);
    }
    [[nodiscard]] bool is_over() const { return used_ > limit_; }
    [[nodiscard]] std::uint64_t used() const { return used_; }
    [[nodiscard]] std::uint64_t left() const { return used_ < limit_ ? limit_ - used_ : 0; }
    [[nodiscard]] std::uint64_t left_in_total() const { return used_ < total_ ? total_ - used_ : 0; }

    // The next part of the work may use at most `steps`, and never more than the total. Returns the limit until now.
    std::uint64_t narrow(std::uint64_t steps) {
        const std::uint64_t before = limit_;
        limit_ = std::min(before, used_ + steps);
        return before;
    }
    void restore_limit(std::uint64_t before) { limit_ = before; }

private:
    std::uint64_t used_ = 0;
    Operations operations_ = 0;
    std::uint64_t total_;
    std::uint64_t limit_;
};

}  // namespace echelon::solver

#pragma once

// How much of the budget has a search used? Work is counted, never timed, so that a plan doesn't depend on the machine.
//
// Each decision of a search is a step. The work behind the decisions is counted too, in operations. The steps used are
// the larger of the two counts, at 1,024 operations a step. A budget in steps therefore bounds the work, and so the
// time.

#include <algorithm>
#include <cstdint>

namespace echelon::solver {

// One amount compared or summed, for one node, domain, bound or member class: one or two nanoseconds.
using Operations = std::uint64_t;

class SearchBudget {
public:
    static constexpr Operations operations_per_step = 1024;

    explicit SearchBudget(std::uint64_t total) : total_(total), limit_(total) {}

    // False once the limit is passed; the caller must then stop.
    [[nodiscard]] bool spend(std::uint64_t steps) {
        used_ += steps;
        return used_ <= limit_;
    }
    // Charges work that has been done.
    void charge(Operations operations) {
        operations_ += operations;
        used_ = std::max(used_, operations_ / operations_per_step);
    }
    [[nodiscard]] bool is_over() const { return used_ > limit_; }
    [[nodiscard]] std::uint64_t used() const { return used_; }
    [[nodiscard]] std::uint64_t left() const { return used_ < limit_ ? limit_ - used_ : 0; }
    [[nodiscard]] std::uint64_t left_in_total() const { return used_ < total_ ? total_ - used_ : 0; }

    // The next part of the work may use at most `steps`, and never more than the total. Returns the previous limit, for
    // `restore_limit`.
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

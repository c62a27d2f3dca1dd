#pragma once

// How many pods of a class fit on a node, as its NUMA zones or its devices decide? Each answer is computed once for all
// nodes of a kind.
//
// Counts the work of all computations. Single-threaded, belongs to one search.

#include "solver/packing/feasibility.hpp"
#include "solver/packing/search_budget.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace echelon::solver {

class InnerCounts {
public:
    // The answer for this kind of nodes and member class beside pods that are placed: [member class] how many. Pods of
    // a class are left out if `matters(class)` is false. `count(beside)` computes the answer; `beside` is empty if no
    // pods matter.
    template <typename Matters, typename Count>
    [[nodiscard]] std::int64_t most(std::uint32_t kind, std::uint32_t member_class,
                                    std::span<const std::int64_t> placed, Matters matters, Count count) {
        std::vector<std::int64_t> beside(placed.begin(), placed.end());
        for (std::size_t other = 0; other < beside.size(); ++other) {
            beside[other] = matters(other) ? beside[other] : 0;
        }
        if (std::ranges::all_of(beside, [](std::int64_t pods) { return pods == 0; })) {
            beside.clear();
        }
        work_ += 8 + beside.size();
        const Asked asked(kind, member_class, beside);
        if (const auto known = known_.find(asked); known != known_.end()) {
            return known->second;
        }
        const std::int64_t most = count(beside);
        known_.emplace(asked, most);
        return most;
    }

    // Notes the answer of one computation. True if it fits.
    bool note(Feasibility answer) {
        is_exact_ = is_exact_ && answer != Feasibility::unknown;
        return answer == Feasibility::fits;
    }
    // False if some answer was "unknown".
    [[nodiscard]] bool is_exact() const { return is_exact_; }

    void add_work(Operations work) { work_ += work; }
    // For computations that add to it themselves.
    [[nodiscard]] Operations& work() { return work_; }
    // The work done since the last call.
    [[nodiscard]] Operations take_work() { return std::exchange(work_, 0); }

private:
    using Asked = std::tuple<std::uint32_t, std::uint32_t, std::vector<std::int64_t>>;  // Kind, class, placed pods.

    std::map<Asked, std::int64_t> known_;
    Operations work_ = 0;
    bool is_exact_ = true;
};

// The largest number that fits, by halving; each number below one that fits is taken to fit, too. `least` is taken to
// fit, `most` not to, and neither is tried.
template <typename Fits>
[[nodiscard]] std::int64_t largest_that_fits(std::int64_t least, std::int64_t most, Fits fits) {
    while (most - least > 1) {
        const std::int64_t middle = least + (most - least) / 2;
        (fits(middle) ? least : most) = middle;
    }
    return least;
}

}  // namespace echelon::solver

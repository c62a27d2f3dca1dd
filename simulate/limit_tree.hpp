#pragma once

// Which of some waiting jobs is the first with a limit below a bound? Each question and change costs a logarithm.
//
// Pure.

#include "simulate/trace.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace echelon::simulate {

inline constexpr Seconds no_limit = std::numeric_limits<Seconds>::max();  // Of a job that declares none.

class LimitTree {
public:
    static constexpr Seconds any = std::numeric_limits<Seconds>::infinity();  // The bound that every limit is below.

    explicit LimitTree(std::size_t places) : leaves_(std::bit_ceil(std::max<std::size_t>(1, places))) {
        least_.assign(2 * leaves_, any);
    }

    void put(std::size_t place, Seconds limit) { set(place, limit); }
    void remove(std::size_t place) { set(place, any); }
    // Nullopt: none.
    [[nodiscard]] std::optional<std::size_t> first_below(Seconds bound) const {
        if (!(least_[1] < bound))
            return std::nullopt;
        std::size_t at = 1;
        while (at < leaves_)
            at = least_[2 * at] < bound ? 2 * at : 2 * at + 1;
        return at - leaves_;
    }

private:
    void set(std::size_t place, Seconds limit) {
        auto at = leaves_ + place;
        least_[at] = limit;
        for (at /= 2; at > 0; at /= 2)
            least_[at] = std::min(least_[2 * at], least_[2 * at + 1]);
    }

    std::size_t leaves_;
    std::vector<Seconds> least_;  // A heap-ordered binary tree; [1] is the root.
};

}  // namespace echelon::simulate

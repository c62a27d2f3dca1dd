#pragma once

// Which of two names comes first in natural order? "train-2" before "train-10".
//
// Runs of digits compare by value, everything else by bytes. A total order, so sorting is deterministic.

#include <compare>
#include <string_view>

namespace echelon::base {

[[nodiscard]] std::strong_ordering natural_order(std::string_view a, std::string_view b);

// For ordered containers and `std::ranges::sort`.
struct NaturalLess {
    [[nodiscard]] bool operator()(std::string_view a, std::string_view b) const { return natural_order(a, b) < 0; }
};

}  // namespace echelon::base

#pragma once

// How many values does an enumeration have? For arrays that have one element for each value.
//
// Pure.

#include <cstddef>
#include <utility>

namespace echelon::base {

// `last`: the last of the values, which begin at 0. State the count beside the enumeration.
template <typename Enum>
[[nodiscard]] constexpr std::size_t count_up_to(Enum last) {
    return static_cast<std::size_t>(std::to_underlying(last)) + 1;
}

}  // namespace echelon::base

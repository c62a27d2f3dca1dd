#pragma once

// How are search states hashed? By a fixed 64-bit mixer, which is the same on every machine.

#include <cstdint>

namespace echelon::solver {

// A bijection that spreads every bit of the argument over the whole word.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31U);
}

}  // namespace echelon::solver

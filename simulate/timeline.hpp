#pragma once

// How did a value change over time? Means over spans of equal length, at most 512.
//
// The spans double in length whenever the time outgrows them, so that the end need not be known beforehand. Pure.

#include "simulate/trace.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace echelon::simulate {

class Timeline {
public:
    // The value was `value` from `from` to `to`; calls follow one another without gaps.
    void add(Seconds from, Seconds to, double value);
    // Means over `count` spans of equal length from 0 to `end`, which is where the last call ended.
    [[nodiscard]] std::vector<double> means(Seconds end, std::size_t count) const;

private:
    static constexpr std::size_t spans = 512;

    void widen();

    std::array<double, spans> sums_{};
    Seconds width_ = 1;
};

}  // namespace echelon::simulate

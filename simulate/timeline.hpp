#pragma once

// How did a value go over time? Means over spans of equal length, at most as many as fit on a screen twice.
//
// The spans double in length whenever the time outgrows them, so nobody needs to know the end beforehand. Pure.

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

#include "simulate/timeline.hpp"

#include <algorithm>

namespace echelon::simulate {

void Timeline::add(Seconds from, Seconds to, double value) {
    while (to > width_ * static_cast<double>(spans))
        widen();
    auto span = static_cast<std::size_t>(from / width_);
    while (from < to && span < spans) {
        const auto until = std::min(to, width_ * static_cast<double>(span + 1));
        sums_[span] += value * std::max(0.0, until - from);
        from = until;
        ++span;
    }
}

void Timeline::widen() {
    for (std::size_t i = 0; i < spans; ++i)
        sums_[i] = i < spans / 2 ? sums_[2 * i] + sums_[(2 * i) + 1] : 0;
    width_ *= 2;
}

std::vector<double> Timeline::means(Seconds end, std::size_t count) const {
    std::vector<double> means(count);
    const auto length = end / static_cast<double>(count);
    if (length <= 0)
        return means;
    for (std::size_t span = 0; span < spans; ++span) {
        const auto from = width_ * static_cast<double>(span);
        const auto to = std::min(end, from + width_);
        if (to <= from)
            break;
        // A span counts as constant over its length: its sum is divided among the means that it overlaps.
        const auto rate = sums_[span] / (to - from);
        for (auto i = std::min(count - 1, static_cast<std::size_t>(from / length)); i < count; ++i) {
            const auto begin = std::max(from, length * static_cast<double>(i));
            const auto finish = std::min(to, length * static_cast<double>(i + 1));
            if (begin >= to)
                break;
            means[i] += rate * std::max(0.0, finish - begin) / length;
        }
    }
    return means;
}

}  // namespace echelon::simulate

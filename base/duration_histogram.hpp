#pragma once

// How long did an operation take? Counts by bucket, for histograms of /metrics.
//
// Pure. The first bucket ends at `FirstMicroseconds`, each further one at twice the bound before it, `Doublings` times;
// the last has no bound.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace echelon::base {

template <std::uint32_t FirstMicroseconds, std::size_t Doublings>
struct DurationHistogram {
    static constexpr double first_seconds = FirstMicroseconds / 1e6;

    std::array<std::uint64_t, Doublings + 2> counts{};  // Per bucket, not cumulative.
    double sum_seconds = 0;

    void add(std::chrono::nanoseconds took) {
        std::chrono::nanoseconds bound = std::chrono::microseconds(FirstMicroseconds);
        std::size_t at = 0;
        while (at + 1 < counts.size() && took > bound) {
            bound *= 2;
            ++at;
        }
        ++counts[at];
        sum_seconds += std::chrono::duration<double>(took).count();
    }

    bool operator==(const DurationHistogram&) const = default;
};

// A view of any histogram, for code that renders it.
struct DurationsView {
    double first_seconds = 0;
    std::span<const std::uint64_t> counts;
    double sum_seconds = 0;

    template <std::uint32_t FirstMicroseconds, std::size_t Doublings>
    DurationsView(  // NOLINT(google-explicit-constructor)
        const DurationHistogram<FirstMicroseconds, Doublings>& durations)
        : first_seconds(durations.first_seconds), counts(durations.counts), sum_seconds(durations.sum_seconds) {}
};

}  // namespace echelon::base

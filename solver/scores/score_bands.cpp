#include "solver/scores/score_bands.hpp"

#include <algorithm>
#include <cmath>

namespace echelon::solver {

namespace {

constexpr double alike = 1e-9;  // Losses that differ by less are equal.

// 10 to 6 if nothing wider than a host is broken, then two scores for each level, and 1 for all wider ones.
struct Band {
    std::uint8_t top = 0;
    std::uint8_t bottom = 0;
};

Band band_of(std::uint32_t breaks) {
    switch (breaks) {
        case 0:
            return {10, 6};
        case 1:
            return {5, 4};
        case 2:
            return {3, 2};
        default:
            return {1, 1};
    }
}

bool are_equal(const NodeCost& a, const NodeCost& b) {
    return a.breaks == b.breaks && std::abs(a.loss - b.loss) < alike && a.breaks_host == b.breaks_host &&
           std::abs(a.free_scarce - b.free_scarce) < alike;
}

}  // namespace

std::vector<std::uint8_t> scores_of(std::span<const std::optional<NodeCost>> costs) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        if (costs[i])
            order.push_back(i);
    }
    std::ranges::sort(order, {}, [&](std::size_t i) { return costs[i]->order(); });
    std::vector<std::uint8_t> scores(costs.size());
    // Each different cost scores one less. The first ones matter most, since kube-scheduler takes the best.
    std::uint8_t score = 0;
    const NodeCost* last = nullptr;
    for (const auto i : order) {
        const NodeCost& cost = *costs[i];
        const auto band = band_of(cost.breaks);
        if (last == nullptr || last->breaks != cost.breaks) {
            score = band.top;
        } else if (!are_equal(*last, cost)) {
            score = std::max<std::uint8_t>(band.bottom, static_cast<std::uint8_t>(score - 1));
        }
        scores[i] = score;
        last = &cost;
    }
    return scores;
}

}  // namespace echelon::solver

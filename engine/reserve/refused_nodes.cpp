#include "engine/reserve/refused_nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace echelon::engine {

namespace {

constexpr std::size_t most = 10'000;  // The oldest is forgotten first.

}  // namespace

void RefusedNodes::add(const model::PodClass& shape, const std::string& node, Time until) {
    const auto is_same = [&](const Refusal& refusal) { return refusal.node == node && refusal.shape == shape; };
    if (const auto found = std::ranges::find_if(refusals_, is_same); found != refusals_.end()) {
        found->until = until;
        return;
    }
    if (refusals_.size() >= most)
        refusals_.erase(refusals_.begin());
    refusals_.push_back({shape, node, until});
    ++version_;
}

bool RefusedNodes::contains(const model::PodClass& shape, const std::string& node) const {
    return std::ranges::any_of(refusals_,
                               [&](const Refusal& refusal) { return refusal.node == node && refusal.shape == shape; });
}

// Few classes are refused, on many nodes: each class is looked up once.
void RefusedNodes::close(model::Snapshot& snapshot) const {
    std::vector<std::pair<const model::PodClass*, std::vector<std::size_t>>> known;
    for (const auto& refusal : refusals_) {
        const auto node = snapshot.node(refusal.node);
        if (!node)
            continue;
        auto same = std::ranges::find_if(known, [&](const auto& entry) { return *entry.first == refusal.shape; });
        if (same == known.end()) {
            same = known.insert(known.end(), {&refusal.shape, {}});
            for (std::size_t shape = 0; shape < snapshot.shapes.size(); ++shape) {
                if (snapshot.shapes[shape] == refusal.shape)
                    same->second.push_back(shape);
            }
        }
        for (const auto shape : same->second)
            snapshot.eligible[shape][*node] = 0;
    }
}

bool RefusedNodes::forget(Time now) {
    const auto ended = std::erase_if(refusals_, [now](const Refusal& refusal) { return refusal.until <= now; });
    version_ += ended > 0 ? 1U : 0U;
    return ended > 0;
}

RefusedNodes::Time RefusedNodes::next_end() const {
    Time first = Time::max();
    for (const auto& refusal : refusals_)
        first = std::min(first, refusal.until);
    return first;
}

}  // namespace echelon::engine

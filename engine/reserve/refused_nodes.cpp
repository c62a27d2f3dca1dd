#include "engine/reserve/refused_nodes.hpp"

#include <algorithm>

namespace echelon::engine {

namespace {

constexpr std::size_t most = 10'000;

}  // namespace

void RefusedNodes::add(const model::GroupKey& root, const model::PodClass& pod_class, const std::string& node,
                       Time until) {
    if (count_ >= most)
        forget_oldest();
    auto& refusals = refusals_[root];
    const auto is_same = [&](const Refusal& refusal) { return refusal.node == node && refusal.pod_class == pod_class; };
    if (const auto found = std::ranges::find_if(refusals, is_same); found != refusals.end()) {
        found->until = until;
        return;
    }
    refusals.push_back({pod_class, node, until});
    ++count_;
}

// Of the gang that has most.
void RefusedNodes::forget_oldest() {
    const auto most_refused =
        std::ranges::max_element(refusals_, {}, [](const auto& entry) { return entry.second.size(); });
    most_refused->second.erase(most_refused->second.begin());
    --count_;
    if (most_refused->second.empty())
        refusals_.erase(most_refused);
}

bool RefusedNodes::contains(const model::GroupKey& root, const model::PodClass& pod_class,
                            const std::string& node) const {
    const auto found = refusals_.find(root);
    return found != refusals_.end() && std::ranges::any_of(found->second, [&](const Refusal& refusal) {
               return refusal.node == node && refusal.pod_class == pod_class;
           });
}

std::size_t RefusedNodes::count(const model::GroupKey& root) const {
    const auto found = refusals_.find(root);
    return found == refusals_.end() ? 0 : found->second.size();
}

std::vector<RefusedNodes::Cell> RefusedNodes::close(model::Snapshot& snapshot, const model::GroupKey& root) const {
    std::vector<Cell> closed;
    const auto found = refusals_.find(root);
    if (found == refusals_.end())
        return closed;
    for (const auto& refusal : found->second) {
        const auto node = snapshot.node(refusal.node);
        const auto pod_class = std::ranges::lower_bound(snapshot.pod_classes, refusal.pod_class);  // They are sorted.
        if (!node || pod_class == snapshot.pod_classes.end() || *pod_class != refusal.pod_class)
            continue;
        const auto id = static_cast<model::PodClassId>(pod_class - snapshot.pod_classes.begin());
        auto& is_eligible = snapshot.eligible[id][*node];
        if (is_eligible != 0)
            closed.emplace_back(id, *node);
        is_eligible = 0;
    }
    return closed;
}

void RefusedNodes::forget(const model::GroupKey& root) {
    if (const auto found = refusals_.find(root); found != refusals_.end()) {
        count_ -= found->second.size();
        refusals_.erase(found);
    }
}

bool RefusedNodes::forget(Time now) {
    const auto before = count_;
    for (auto& [root, refusals] : refusals_)
        count_ -= std::erase_if(refusals, [now](const Refusal& refusal) { return refusal.until <= now; });
    std::erase_if(refusals_, [](const auto& entry) { return entry.second.empty(); });
    return count_ < before;
}

RefusedNodes::Time RefusedNodes::next_end() const {
    Time first = Time::max();
    for (const auto& [root, refusals] : refusals_) {
        for (const auto& refusal : refusals)
            first = std::min(first, refusal.until);
    }
    return first;
}

}  // namespace echelon::engine

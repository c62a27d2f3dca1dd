#include "engine/gang/quorum.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace echelon::engine {

Quorum::Quorum(const model::Gang& gang) {
    finished_.assign(gang.groups.size(), 0);
    const auto created =
        static_cast<std::size_t>(std::ranges::count(gang.members, false, &model::Member::is_placeholder));
    leaves_.reserve(created);
    by_uid_.reserve(created);
    for (std::uint32_t g = 0; g < gang.groups.size(); ++g) {
        const auto& group = gang.groups[g];
        const auto at_barrier = group.at_barrier >= 0 ? group.at_barrier : group.minimum;
        nodes_.push_back({.parent = group.parent,
                          .is_leaf = group.is_leaf,
                          .minimum = group.minimum,
                          .at_barrier = at_barrier,
                          .floor = group.floor,
                          .minimum_without_earlier = group.minimum - group.earlier_members,
                          .counts_only_waiting = group.counts_only_waiting});
        counts_only_waiting_ = counts_only_waiting_ || group.counts_only_waiting;
        if (!group.is_leaf)
            continue;
        for (auto m = group.first_member; m < group.last_member; ++m) {
            if (!gang.members[m].is_placeholder) {
                by_uid_.insert(base::hash_of(gang.members[m].uid), static_cast<std::uint32_t>(leaves_.size()));
                leaves_.emplace_back(gang.members[m].uid, g);
            }
            if (gang.members[m].state == model::Member::State::finished)
                ++finished_[g];
        }
    }
}

std::uint32_t Quorum::leaf_of(base::Hashed uid) const {
    const auto* found = by_uid_.find(uid.hash(), [&](std::uint32_t at) { return leaves_[at].first == uid; });
    return found == nullptr ? model::nowhere : leaves_[*found].second;
}

std::vector<std::uint8_t> Quorum::satisfied(const Counts& counts) const {
    return satisfied(counts, &Node::at_barrier);
}

std::vector<std::uint8_t> Quorum::satisfied_as_declared(const Counts& counts) const {
    return satisfied(counts, &Node::minimum);
}

std::vector<std::uint8_t> Quorum::satisfied(const Counts& counts, std::int64_t Node::* minimum) const {
    std::vector<std::uint8_t> satisfied(nodes_.size(), 0);
    Counts children(nodes_.size(), 0);  // [composite] Satisfied children.
    Counts pods(nodes_.size(), 0);      // Members in satisfied leaves below, for floors.
    for (std::size_t g = nodes_.size(); g-- > 0;) {
        const auto& node = nodes_[g];
        const std::int64_t there = node.is_leaf ? counts[g] : children[g];
        const std::int64_t below = node.is_leaf ? counts[g] : pods[g];
        if (there < node.*minimum || below < node.floor)
            continue;
        satisfied[g] = 1;
        if (node.parent == model::nowhere)
            continue;
        ++children[node.parent];
        pods[node.parent] += below;
    }
    for (std::size_t g = 1; g < nodes_.size(); ++g) {
        if (satisfied[nodes_[g].parent] == 0)
            satisfied[g] = 0;
    }
    return satisfied;
}

bool Quorum::is_met(const Counts& counts) const {
    return !nodes_.empty() && satisfied(counts).front() != 0;
}

bool Quorum::meets_declared_minimum(const Counts& counts) const {
    return !nodes_.empty() && satisfied(counts, &Node::minimum).front() != 0;
}

bool Quorum::holds_without_commit(const Counts& counts) const {
    return !nodes_.empty() && satisfied(counts, &Node::minimum_without_earlier).front() != 0;
}

std::int64_t Quorum::still_needed(const Counts& counts) const {
    std::vector<std::vector<std::int64_t>> needs(nodes_.size());  // [composite] Needs of the children.
    Counts there(nodes_.size(), 0);                               // [group] Members in the subtree.
    for (std::size_t g = nodes_.size(); g-- > 0;) {
        const auto& node = nodes_[g];
        std::int64_t need = 0;
        if (node.is_leaf) {
            there[g] = counts[g];
            need = std::max<std::int64_t>(node.at_barrier - counts[g], 0);
        } else {
            const auto counted = std::clamp<std::int64_t>(node.minimum, 0, std::ssize(needs[g]));
            std::ranges::sort(needs[g]);
            need = std::accumulate(needs[g].begin(), needs[g].begin() + counted, std::int64_t{0});
            needs[g] = {};
        }
        need = std::max(need, node.floor - there[g]);
        if (node.parent == model::nowhere)
            return need;
        there[node.parent] += there[g];
        needs[node.parent].push_back(need);
    }
    return 0;
}

bool Quorum::is_short(std::uint32_t leaf, const Counts& counts) const {
    return counts[leaf] < nodes_[leaf].minimum;
}

}  // namespace echelon::engine

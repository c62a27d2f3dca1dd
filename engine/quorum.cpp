#include "engine/quorum.hpp"

namespace echelon::engine {

Quorum::Quorum(const model::Gang& gang) {
    finished_.assign(gang.groups.size(), 0);
    for (std::uint32_t g = 0; g < gang.groups.size(); ++g) {
        const auto& group = gang.groups[g];
        nodes_.push_back({group.parent, group.is_leaf, group.minimum, group.floor});
        if (!group.is_leaf)
            continue;
        for (auto m = group.first_member; m < group.last_member; ++m) {
            leaf_of_.emplace(gang.members[m].uid, g);
            if (gang.members[m].state == model::Member::State::finished)
                ++finished_[g];
        }
    }
}

std::uint32_t Quorum::leaf_of(const std::string& uid) const {
    auto found = leaf_of_.find(uid);
    return found == leaf_of_.end() ? model::nowhere : found->second;
}

bool Quorum::is_met(const Counts& counts) const {
    if (nodes_.empty())
        return false;
    Counts satisfied(nodes_.size(), 0);  // Composites: satisfied children.
    Counts pods(nodes_.size(), 0);       // Members in satisfied leaves below, for floors.
    for (std::size_t g = nodes_.size(); g-- > 0;) {
        const auto& node = nodes_[g];
        const std::int64_t there = node.is_leaf ? counts[g] : satisfied[g];
        const std::int64_t below = node.is_leaf ? counts[g] : pods[g];
        if (there < node.minimum || below < node.floor) {
            if (g == 0)
                return false;
            continue;
        }
        if (node.parent != model::nowhere) {
            ++satisfied[node.parent];
            pods[node.parent] += below;
        }
    }
    return true;
}

}  // namespace echelon::engine

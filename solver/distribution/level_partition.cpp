#include "solver/distribution/level_partition.hpp"

#include <algorithm>
#include <ranges>

namespace echelon::solver {

LevelPartition::LevelPartition(const model::Snapshot& snapshot, std::uint32_t tree)
    : tree_(snapshot.trees[tree]), tree_index_(tree) {
    parts_.push_back({.depth = model::nowhere, .first = 0, .last = static_cast<std::uint32_t>(tree_.order.size())});
}

std::pair<PartId, PartId> LevelPartition::children(PartId part) {
    if (parts_[part].last_child == 0 && parts_[part].first < parts_[part].last) {
        open(part);
    }
    return {parts_[part].first_child, parts_[part].last_child};
}

void LevelPartition::open(PartId part) {
    const Part around = parts_[part];
    const std::uint32_t depth = around.depth == model::nowhere ? 0 : around.depth + 1;
    const auto& domain_of = tree_.domain_of[depth];
    const bool are_nodes = depth + 1 == levels();
    const auto first_child = static_cast<PartId>(parts_.size());
    for (std::uint32_t first = around.first; first < around.last;) {
        const std::uint32_t domain = domain_of[tree_.order[first]];
        std::uint32_t last = first + 1;
        if (!are_nodes && domain != model::nowhere) {
            last = std::min(tree_.domains[depth][domain].last, around.last);
        } else if (!are_nodes) {
            while (last < around.last && domain_of[tree_.order[last]] == model::nowhere) {
                ++last;
            }
        }
        parts_.push_back({.depth = depth, .first = first, .last = last, .domain = domain});
        first = last;
    }
    parts_[part].first_child = first_child;
    parts_[part].last_child = static_cast<PartId>(parts_.size());
}

std::vector<PartId> LevelPartition::around(model::NodeId node) {
    if (position_of_.empty()) {
        position_of_.resize(tree_.order.size());
        for (std::uint32_t at = 0; at < tree_.order.size(); ++at) {
            position_of_[tree_.order[at]] = at;
        }
    }
    const std::uint32_t position = position_of_[node];
    std::vector<PartId> found;
    PartId part = whole;
    for (std::uint32_t depth = 0; depth < levels(); ++depth) {
        const auto [first, last] = children(part);
        part = *std::ranges::partition_point(std::views::iota(first, last),
                                             [&](PartId child) { return parts_[child].last <= position; });
        found.push_back(part);
    }
    return found;
}

}  // namespace echelon::solver

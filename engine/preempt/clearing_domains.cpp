#include "engine/preempt/clearing_domains.hpp"

#include <set>

namespace echelon::engine {

std::optional<DomainId> domain_of(const model::Snapshot& snapshot, const model::Gang& gang, const solver::Plan& plan) {
    const auto level = model::narrowest_required(gang.groups.front());
    if (!level || plan.seats.empty())
        return std::nullopt;
    const auto& tree = snapshot.trees[level->tree];
    const auto node = plan.seats.front().node;
    if (tree.domain_of[level->depth][node] == model::nowhere)
        return std::nullopt;
    return DomainId{tree.name, tree.keys[level->depth], snapshot.path(level->tree, level->depth, node)};
}

ClosedNodes overlapping(const model::Snapshot& snapshot, model::LevelRef level, const std::vector<DomainId>& taken) {
    const auto& domains = snapshot.trees[level.tree].domain_of[level.depth];
    ClosedNodes nodes;
    std::set<std::uint32_t> closed;
    for (const auto& domain : taken) {
        for (const auto node : nodes_of(snapshot, domain)) {
            nodes.add(node, snapshot.node_count());
            if (domains[node] != model::nowhere)
                closed.insert(domains[node]);
        }
    }
    for (model::NodeId node = 0; node < snapshot.node_count(); ++node) {
        if (closed.contains(domains[node]))
            nodes.add(node, snapshot.node_count());
    }
    return nodes;
}

}  // namespace echelon::engine

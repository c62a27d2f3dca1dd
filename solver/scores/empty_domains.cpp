#include "solver/scores/empty_domains.hpp"

#include "model/gang/requested_levels.hpp"

#include <algorithm>

namespace echelon::solver {

std::vector<std::uint32_t> empty_domains(const model::Snapshot& snapshot, std::span<const std::uint8_t> is_used) {
    std::vector<std::uint32_t> widest(snapshot.node_count());
    for (const auto& tree : snapshot.trees) {
        for (std::uint32_t depth = 0; depth < tree.host_depth(); ++depth) {
            const auto width = tree.host_depth() - depth;
            for (const auto& domain : tree.domains[depth]) {
                const auto nodes = std::span(tree.order).subspan(domain.first, domain.last - domain.first);
                // Anybody may ask for a label, also for one that each node has to itself.
                if (nodes.size() == 1 && model::is_single_label(tree))
                    continue;
                if (std::ranges::any_of(nodes, [&](model::NodeId node) { return is_used[node] != 0; }))
                    continue;
                for (const auto node : nodes)
                    widest[node] = std::max(widest[node], width);
            }
        }
    }
    return widest;
}

}  // namespace echelon::solver

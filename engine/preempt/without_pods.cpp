#include "engine/preempt/without_pods.hpp"

#include "model/gang/running_gang.hpp"

#include <utility>

namespace echelon::engine {

std::optional<model::Gang> without_pods(const model::Cluster& cluster, const Ledger& ledger, const model::Gang& built,
                                        const model::Snapshot& snapshot, const std::vector<const model::Pod*>& gone) {
    if (built.affinity.empty() || gone.empty())
        return std::nullopt;
    model::RunningGangs running;
    auto& pods = running.gangs.emplace_back().pods;
    for (const auto* pod : gone) {
        if (const auto node = snapshot.node(pod->node))
            pods.push_back(
                {.pod = {}, .uid = pod->uid, .node = *node, .requests = {}, .budgets = {}, .keeps_away = {}});
    }
    cluster.relate(built, snapshot, ledger.placed_by_others(built.root), running);
    auto without = built;
    without.affinity.barred = std::move(running.barred_anyway);
    return without;
}

}  // namespace echelon::engine

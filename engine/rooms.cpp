// Room on single nodes: whether something fits beside what is held, and what kube-scheduler keeps for pods that it has
// made room for.

#include "engine/state.hpp"
#include "model/facts/usage.hpp"

#include <algorithm>

namespace echelon::engine {

bool Engine::State::has_room(const std::string& node, const model::Amounts& requests) const {
    return std::ranges::all_of(requests.entries(), [&](const auto& entry) {
        const auto& [name, amount] = entry;
        const auto left = amount > 0 ? cluster.left_on(node, name) : std::nullopt;
        return !left || *left - ledger.taken_on(node, name) >= amount;
    });
}

// A pod that has preempted others waits until they have ended: their room is its own then, and what it needs beyond
// that is free already. Once it is being bound, the ledger has it.
std::vector<DomainReservations::Taken> Engine::State::take_nominated(model::Snapshot& snapshot,
                                                                     std::int64_t priority) const {
    std::vector<DomainReservations::Taken> taken;
    for (const auto& here : cluster.nominations()) {
        const auto node = snapshot.node(here.node);
        if (!node)
            continue;
        model::Amounts wanted;
        for (const auto* pod : here.pods) {
            if (pod->priority >= priority && ledger.find(pod->uid) == nullptr)
                wanted.add(pod->shape.requests);
        }
        for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
            const auto& name = snapshot.resources[r];
            const auto amount = model::bounded(std::max<std::int64_t>(0, wanted.of(name) - here.leaving.of(name)));
            if (amount == 0)
                continue;
            taken.push_back({r, *node, amount});
            snapshot.room[r][*node] -= amount;
        }
    }
    return taken;
}

}  // namespace echelon::engine

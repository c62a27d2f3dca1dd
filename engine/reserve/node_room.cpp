#include "engine/reserve/node_room.hpp"

#include "model/facts/usage.hpp"

#include <algorithm>

namespace echelon::engine {

model::Snapshot NodeRoom::snapshot() const {
    auto snapshot = facts_.cluster.snapshot();
    ledger_.apply(snapshot);
    refused_nodes_.close(snapshot);
    return snapshot;
}

bool NodeRoom::fits(const std::string& node, const model::Amounts& requests) const {
    return std::ranges::all_of(requests.entries(), [&](const auto& entry) {
        const auto& [name, amount] = entry;
        const auto left = amount > 0 ? facts_.cluster.left_on(node, name) : std::nullopt;
        return !left || *left - ledger_.taken_on(node, name) >= amount;
    });
}

// A pod that has preempted others waits until they have ended: their room is its own then, and what it needs beyond
// that is free already. Once it is being bound, the ledger has it.
TakenRoom NodeRoom::take_nominated(model::Snapshot& snapshot, std::int64_t priority) const {
    TakenRoom taken(snapshot);
    for (const auto& here : facts_.cluster.nominations()) {
        const auto node = snapshot.node(here.node);
        if (!node)
            continue;
        model::Amounts wanted;
        for (const auto* pod : here.pods) {
            if (pod->priority >= priority && ledger_.find(pod->uid) == nullptr)
                wanted.add(pod->shape.requests);
        }
        for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
            const auto& name = snapshot.resources[r];
            const auto amount = model::bounded(std::max<std::int64_t>(0, wanted.of(name) - here.leaving.of(name)));
            if (amount > 0)
                taken.take(*node, r, amount);
        }
    }
    return taken;
}

}  // namespace echelon::engine

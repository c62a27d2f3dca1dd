#include "engine/reserve/node_room.hpp"

#include "model/facts/usage.hpp"

#include <algorithm>
#include <utility>

namespace echelon::engine {

model::Snapshot NodeRoom::snapshot() const {
    auto snapshot = facts_.cluster.snapshot();
    ledger_.apply(snapshot);
    return snapshot;
}

model::Snapshot& NodeRoom::planning() {
    const auto& cluster = facts_.cluster;
    auto delta = cluster.renew(planning_);
    const auto held = ledger_.take_changed(Holds::Reader::node_room);
    if (delta.is_all) {
        ledger_.apply(planning_);
        return planning_;
    }
    std::vector<bool> is_copied(planning_.node_names.size());
    std::vector<model::NodeId> nodes;  // Each once.
    const auto add = [&](model::NodeId node) {
        const bool is_new = !is_copied[node];
        if (is_new)
            nodes.push_back(node);
        is_copied[node] = true;
        return is_new;
    };
    std::ranges::for_each(delta.nodes, add);
    for (const auto& name : held) {
        if (const auto node = planning_.node(name); node && add(*node))
            cluster.copy_room(planning_, *node);
    }
    ledger_.apply(planning_, nodes);
    return planning_;
}

bool NodeRoom::fits(const std::string& node, const model::Amounts& requests) const {
    return std::ranges::all_of(facts_.cluster.left_on(node, requests), [&](const auto& entry) {
        const auto& [name, left] = entry;
        const auto amount = requests.of(name);
        return amount <= 0 || left - ledger_.taken_on(node, name) >= amount;
    });
}

// A pod that has preempted others waits until they have ended. Room that ending pods will leave is not taken: only what
// the pod needs beyond that is. Once it is being bound the ledger has a hold for it.
TakenRoom NodeRoom::take_nominated(model::Snapshot& snapshot, std::int64_t priority) const {
    TakenRoom taken(snapshot);
    for (const auto& here : facts_.cluster.nominations()) {
        const auto node = snapshot.node(here.node);
        if (!node)
            continue;
        model::Amounts wanted;
        for (const auto* pod : here.pods) {
            if (pod->priority >= priority && ledger_.find(pod->uid) == nullptr)
                wanted.add(pod->pod_class.requests);
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

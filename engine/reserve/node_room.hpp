#pragma once

// What is left on nodes beside what is held, and what does kube-scheduler keep there for other pods?
//
// Not thread-safe.

#include "engine/facts.hpp"
#include "engine/reserve/ledger.hpp"
#include "engine/reserve/refused_nodes.hpp"
#include "engine/reserve/taken_room.hpp"
#include "model/facts/amounts.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <string>

namespace echelon::engine {

class NodeRoom {
public:
    NodeRoom(const Facts& facts, Ledger& ledger, const RefusedNodes& refused_nodes)
        : facts_(facts), ledger_(ledger), refused_nodes_(refused_nodes) {}

    // The cluster without every hold, and without nodes that kube-scheduler's own filters refuse.
    [[nodiscard]] model::Snapshot snapshot() const;
    // The same, in a copy that is kept: what has changed since the last call is written, and nothing else. Requires:
    // what planning took of it has been given back, but for what the ledger has.
    [[nodiscard]] model::Snapshot& planning();

    // Beside everything that is held. Of what isn't asked for a node may lack any amount. True for a node that isn't
    // known.
    [[nodiscard]] bool fits(const std::string& node, const model::Amounts& requests) const;
    // Takes what kube-scheduler keeps for pods of this priority or a higher one, which it has nominated.
    [[nodiscard]] TakenRoom take_nominated(model::Snapshot& snapshot, std::int64_t priority) const;

private:
    const Facts& facts_;
    Ledger& ledger_;
    const RefusedNodes& refused_nodes_;
    model::Snapshot planning_;
    std::uint64_t refusals_seen_ = 0;  // Their version.
};

}  // namespace echelon::engine

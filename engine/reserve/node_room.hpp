#pragma once

// How much room do nodes have beside holds, and how much of it does kube-scheduler keep for nominated pods?
//
// Not thread-safe.

#include "engine/facts.hpp"
#include "engine/reserve/ledger.hpp"
#include "engine/reserve/taken_room.hpp"
#include "model/facts/amounts.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <string>

namespace echelon::engine {

class NodeRoom {
public:
    NodeRoom(const Facts& facts, Ledger& ledger) : facts_(facts), ledger_(ledger) {}

    // The cluster less the room of every hold.
    [[nodiscard]] model::Snapshot snapshot() const;
    // The same snapshot, kept from call to call and updated with what has changed since. Requires: planning has given
    // back what it took from the copy, apart from the ledger's holds.
    [[nodiscard]] model::Snapshot& planning();

    // True if the requests fit beside all holds. Resources that aren't requested don't matter. True for an unknown
    // node.
    [[nodiscard]] bool fits(const std::string& node, const model::Amounts& requests) const;
    // Takes the room that kube-scheduler keeps for nominated pods of this priority or a higher one.
    [[nodiscard]] TakenRoom take_nominated(model::Snapshot& snapshot, std::int64_t priority) const;

private:
    const Facts& facts_;
    Ledger& ledger_;
    model::Snapshot planning_;
};

}  // namespace echelon::engine

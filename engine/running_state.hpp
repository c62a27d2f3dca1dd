#pragma once

// What would an engine plan with? The facts of a running one and what it has promised, for decisions beside it that
// change nothing (Z40).
//
// Plain values, taken on the engine's thread (`Engine::running_state`).

#include "engine/engine.hpp"
#include "engine/reserve/domain_reservations.hpp"
#include "engine/reserve/ledger.hpp"
#include "engine/reserve/refused_nodes.hpp"
#include "engine/time.hpp"
#include "model/facts/event.hpp"

#include <vector>

namespace echelon::engine {

struct RunningState {
    Options options;
    Time now{0};
    std::vector<model::Event> events;  // As `model::Cluster::events` gives them.
    Ledger ledger;
    DomainReservations reservations;
    RefusedNodes refused_nodes;
};

}  // namespace echelon::engine

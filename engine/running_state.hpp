#pragma once

// Which facts and promises does a running engine plan with? A copy of them, with which `POST /v1/plan` decides without
// changing the engine (Z40).
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
    std::vector<model::Event> events;  // From `model::Cluster::events`.
    Ledger ledger;
    DomainReservations reservations;
    RefusedNodes refused_nodes;
};

}  // namespace echelon::engine

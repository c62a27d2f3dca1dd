#include "engine/running_state.hpp"

#include "engine/state.hpp"

namespace echelon::engine {

RunningState Engine::State::running_state() const {
    return {.options = facts_.options,
            .now = facts_.now,
            .events = facts_.cluster.events(),
            .ledger = ledger_,
            .reservations = reservations_,
            .refused_nodes = refused_nodes_};
}

RunningState Engine::running_state() const {
    return state_->running_state();
}

}  // namespace echelon::engine

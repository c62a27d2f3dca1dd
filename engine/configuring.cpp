// What may change while running: profiles, times, the solver's budget.

#include "engine/state.hpp"

namespace echelon::engine {

model::Profiles model_profiles(const std::map<std::string, ProfileOptions, std::less<>>& profiles) {
    model::Profiles found;
    for (const auto& [name, profile] : profiles)
        found[name] = {profile.gang, profile.topology};
    return found;
}

void Engine::State::on(const Reconfigured& changed) {
    options.barrier_timeout = changed.barrier_timeout;
    options.settle = changed.settle;
    options.claim_after = changed.claim_after;
    options.claim_lifetime = changed.claim_lifetime;
    options.budget = changed.budget;
    capacity_may_be_free = true;  // A larger budget may find what a smaller one missed.
    if (options.profiles == changed.profiles)
        return;
    options.profiles = changed.profiles;
    // Gangs of a profile that is switched off end as if their groups had gone: bindings under way are finished, seats
    // are given back. Those of one that is switched on begin.
    take_up(cluster.reprofile(model_profiles(options.profiles)));
}

}  // namespace echelon::engine

#include "cli/service_options.hpp"

#include "cli/running_settings.hpp"
#include "cli/topology_push.hpp"
#include "kube/lease_holder.hpp"
#include "kube/watcher.hpp"

#include <chrono>

namespace echelon::cli {

engine::Options engine_options(const config::Settings& settings) {
    engine::Options options;
    options.profiles = profiles_of(settings);
    options.tells = true;
    options.budget.steps = settings.solver_steps;
    options.barrier_timeout = settings.barrier_timeout;
    options.settle = settings.gang_settle;
    options.claim_after = settings.queue_claim_after;
    options.claim_lifetime = settings.queue_claim_lifetime;
    if (settings.leader.mode == config::LeaderMode::own)
        options.identity = kube::new_identity();
    options.stopwatch = [] { return std::chrono::steady_clock::now().time_since_epoch(); };
    options.wait_for = kube::Watcher::resources(watch_of(settings, nullptr));
    return options;
}

model::Result<std::shared_ptr<kube::Credentials>> credentials_of(const config::Settings& settings) {
    const auto& file = settings.client_connection.kubeconfig;
    return file.empty() ? kube::Credentials::in_cluster() : kube::Credentials::from_kubeconfig(file);
}

}  // namespace echelon::cli

#include "app/service_options.hpp"

#include "app/running_settings.hpp"
#include "app/settings_mapping.hpp"
#include "app/topology_push.hpp"
#include "app/version.hpp"
#include "kube/lease/lease_holder.hpp"
#include "kube/watch/watcher.hpp"
#include "server/http/port_shares.hpp"

#include <chrono>

#include <fmt/format.h>

namespace echelon::app {

engine::Options engine_options(const config::Settings& settings) {
    engine::Options options;
    options.profiles = profiles_of(settings);
    options.writes_events = true;
    options.preemption = preemption_of(settings);
    options.budget.steps = settings.solver_steps;
    options.step_work = engine::service_step_work;
    options.async_searches = true;
    options.limits = model_limits(settings);
    options.barrier_timeout = settings.barrier_timeout;
    options.barrier_room = server::port_shares(settings, server::descriptor_limit()).barrier;
    options.settle = settings.gang_settle;
    options.claim_after = settings.queue_claim_after;
    options.claim_lifetime = settings.queue_claim_lifetime;
    options.epoch = std::chrono::duration_cast<engine::Time>(std::chrono::system_clock::now().time_since_epoch() -
                                                             std::chrono::steady_clock::now().time_since_epoch());
    if (settings.leader.mode == config::LeaderMode::own)
        options.identity = kube::new_identity();
    options.stopwatch = [] { return std::chrono::steady_clock::now().time_since_epoch(); };
    options.wait_for = kube::Watcher::resources(watcher_options(settings, nullptr));
    return options;
}

std::string start_sentence(const config::Settings& settings) {
    if (config::exports_alone(settings))
        return fmt::format("{}: no profiles, admin {}", version_line(), settings.admin.text());
    return fmt::format("{}: extender {}, bind {}, admin {}", version_line(), settings.extender.text(),
                       settings.bind.text(), settings.admin.text());
}

std::string sentence_about(const server::DescriptorLimits& limits, const config::Settings& settings) {
    return fmt::format("file descriptors: {} ({} before, hard limit {}), room for {} of {} members at the barrier",
                       limits.now, limits.found, limits.hard, server::port_shares(settings, limits.now).barrier,
                       settings.barrier_connections);
}

base::Result<std::shared_ptr<kube::Credentials>> credentials_of(const config::Settings& settings) {
    const auto& file = settings.client_connection.kubeconfig;
    return file.empty() ? kube::Credentials::in_cluster() : kube::Credentials::from_kubeconfig(file);
}

}  // namespace echelon::app

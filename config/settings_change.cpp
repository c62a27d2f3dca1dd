#include "config/settings_change.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace echelon::config {

namespace {

// One top-level key that is only read at the start.
struct Fixed {
    std::string_view key;
    bool (*is_same)(const Settings& a, const Settings& b);
};

// Disruption budgets are watched from the start, or not at all.
bool may_change_preemption(const Settings& running, const Settings& changed) {
    return preempts(running) || !preempts(changed);
}

constexpr std::array fixed = {
    Fixed{"clientConnection",
          [](const Settings& a, const Settings& b) { return a.client_connection == b.client_connection; }},
    Fixed{"extender", [](const Settings& a, const Settings& b) { return a.extender == b.extender; }},
    Fixed{"bind", [](const Settings& a, const Settings& b) { return a.bind == b.bind; }},
    Fixed{"admin", [](const Settings& a, const Settings& b) { return a.admin == b.admin; }},
    Fixed{"tls", [](const Settings& a, const Settings& b) { return a.tls == b.tls; }},
    Fixed{"limits", [](const Settings& a, const Settings& b) { return a.limits == b.limits; }},
    Fixed{"health", [](const Settings& a, const Settings& b) { return a.health == b.health; }},
    Fixed{"webhook", [](const Settings& a, const Settings& b) { return a.webhook == b.webhook; }},
    Fixed{"barrier.connections",
          [](const Settings& a, const Settings& b) { return a.barrier_connections == b.barrier_connections; }},
    Fixed{"leader", [](const Settings& a, const Settings& b) { return a.leader == b.leader; }},
    Fixed{"recording", [](const Settings& a, const Settings& b) { return a.recording == b.recording; }},
    Fixed{"translation", [](const Settings& a, const Settings& b) { return a.translation == b.translation; }},
    Fixed{"topologies", [](const Settings& a, const Settings& b) { return a.topologies == b.topologies; }},
    Fixed{"export", [](const Settings& a, const Settings& b) { return a.topology_export == b.topology_export; }},
    // Ports are opened at the start, or not at all.
    Fixed{"profiles (from none, or to none)",
          [](const Settings& a, const Settings& b) { return a.profiles.empty() == b.profiles.empty(); }},
    Fixed{"profiles.preempt", may_change_preemption},
    Fixed{"topologyStore", [](const Settings& a, const Settings& b) { return a.topology_store == b.topology_store; }},
};

}  // namespace

std::vector<std::string_view> restart_needed(const Settings& running, const Settings& changed) {
    std::vector<std::string_view> keys;
    for (const auto& [key, is_same] : fixed) {
        if (!is_same(running, changed))
            keys.push_back(key);
    }
    return keys;
}

Settings apply_change(Settings running, const Settings& changed) {
    running.log_level = changed.log_level;
    running.barrier_timeout = changed.barrier_timeout;
    running.gang_settle = changed.gang_settle;
    running.queue_claim_after = changed.queue_claim_after;
    running.queue_claim_lifetime = changed.queue_claim_lifetime;
    running.solver_steps = changed.solver_steps;
    running.preemption = changed.preemption;
    const bool may_preempt = may_change_preemption(running, changed);
    if (running.profiles.empty() == changed.profiles.empty())
        running.profiles = changed.profiles;
    for (auto& profile : running.profiles)
        profile.preempt = profile.preempt && may_preempt;
    return running;
}

}  // namespace echelon::config

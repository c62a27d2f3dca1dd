#pragma once

// Which data may every part of the engine read, but not write? The settings, the cluster, the time of the step, and
// whether this echelon may act.
//
// Only the engine's router writes it.

#include "engine/engine.hpp"
#include "engine/time.hpp"
#include "model/cluster/cluster.hpp"

#include <chrono>
#include <cstdint>
#include <set>
#include <string>

namespace echelon::engine {

struct Facts {
    Options options;  // Only `Reconfigured` changes them.
    model::Cluster cluster;
    Time now{0};
    std::set<std::string> unsynced;  // Resources not listed yet.
    bool leads = true;
    Time leads_until = never;  // Fencing: from then on this echelon no longer leads, whatever inputs are still queued.
    bool is_draining = false;

    // The engine's time, of seconds since 1970.
    [[nodiscard]] Time time_of(std::int64_t seconds) const { return std::chrono::seconds(seconds) - options.epoch; }
    // True if gangs may be planned and decisions about them may be written.
    [[nodiscard]] bool may_act() const { return unsynced.empty() && leads && !is_draining; }
    // True if members of held plans may be nominated and ungated.
    [[nodiscard]] bool may_release() const { return leads && !is_draining; }
};

}  // namespace echelon::engine

#pragma once

// What may every part of the engine read, and none of them write? The settings, the cluster, the time of the step, and
// whether this echelon may act.
//
// Written by the engine's router alone.

#include "engine/engine.hpp"
#include "engine/time.hpp"
#include "model/cluster/cluster.hpp"

#include <set>
#include <string>

namespace echelon::engine {

struct Facts {
    Options options;  // Changed by `Reconfigured` alone.
    model::Cluster cluster;
    Time now{0};
    std::set<std::string> unsynced;  // Resources not listed yet.
    bool leads = true;
    Time leads_until = never;  // Fencing: after it nothing is decided, whatever the queue still brings.
    bool is_draining = false;

    // Gangs are planned, and what is decided about them is written.
    [[nodiscard]] bool may_act() const { return unsynced.empty() && leads && !is_draining; }
    // Nominations and gates of plans that are held already are written.
    [[nodiscard]] bool may_release() const { return leads && !is_draining; }
};

}  // namespace echelon::engine

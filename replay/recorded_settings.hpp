#pragma once

// Which fields does a recording keep of the engine's options, and under which names?
//
// All of them, as in recorded_facts.hpp. Plain tables.

#include "engine/engine.hpp"
#include "model/facts/limits.hpp"
#include "replay/recorded_facts.hpp"
#include "replay/recorded_names.hpp"

#include <array>
#include <string_view>
#include <tuple>

namespace echelon::replay {

template <>
struct Recorded<engine::ProfileOptions>
    : Names<"gang", "topology", "nominate", "protect", "packs", "preempt", "conditions"> {};
template <>
struct Recorded<engine::PreemptionOptions> : Names<"mostVictims", "timeout", "foreign"> {};
template <>
struct Recorded<solver::SolveOptions> : Names<"steps"> {};
template <>
struct Recorded<engine::Reconfigured>
    : Names<"profiles", "barrierTimeout", "settle", "claimAfter", "claimLifetime", "budget", "preemption"> {};
template <>
struct Recorded<model::Limits>
    : Names<"members", "groups", "depth", "declaredGroups", "annotationBytes", "annotationDepth", "topologyNodes",
            "patternBytes", "resources", "messageBytes", "longestHold", "freePriority"> {};
// Without the stopwatch, which no decision depends on.
template <>
struct Recorded<engine::Options> {
    static constexpr std::array<std::string_view, 18> names = {
        "profiles",      "barrierTimeout", "barrierRoom",       "settle",
        "holdLifetime",  "ghostLifetime",  "refusedNodeMemory", "claimAfter",
        "claimLifetime", "epoch",          "preemption",        "budget",
        "limits",        "tells",          "identity",          "stepWork",
        "searchesApart", "waitFor"};
    static auto fields(auto& all) {
        auto& [profiles, barrier_timeout, barrier_room, settle, hold_lifetime, placeholder_lifetime,
               refused_node_memory, claim_after, claim_lifetime, epoch, preemption, budget, limits, tells, identity,
               stopwatch, step_work, searches_apart, wait_for] = all;
        static_cast<void>(stopwatch);
        return std::tie(profiles, barrier_timeout, barrier_room, settle, hold_lifetime, placeholder_lifetime,
                        refused_node_memory, claim_after, claim_lifetime, epoch, preemption, budget, limits, tells,
                        identity, step_work, searches_apart, wait_for);
    }
};

}  // namespace echelon::replay

#pragma once

// Which fields does a recording keep of the engine's options, and under which names?
//
// All of them, as in recorded_facts.hpp. Plain tables.

#include "engine/engine.hpp"
#include "model/facts/limits.hpp"
#include "replay/recorded_facts.hpp"

#include <array>
#include <string_view>
#include <tuple>

namespace echelon::replay {

template <>
struct Recorded<engine::ProfileOptions> {
    static constexpr std::array<std::string_view, 7> names = {"gang",  "topology", "nominate",  "protect",
                                                              "packs", "preempt",  "conditions"};
    static auto fields(auto& all) {
        auto& [gang, topology, nominate, protect, packs, preempt, conditions] = all;
        return std::tie(gang, topology, nominate, protect, packs, preempt, conditions);
    }
};
template <>
struct Recorded<engine::PreemptionOptions> {
    static constexpr std::array<std::string_view, 3> names = {"mostVictims", "timeout", "foreign"};
    static auto fields(auto& all) {
        auto& [most_victims, timeout, foreign] = all;
        return std::tie(most_victims, timeout, foreign);
    }
};
template <>
struct Recorded<solver::SolveOptions> {
    static constexpr std::array<std::string_view, 1> names = {"steps"};
    static auto fields(auto& all) {
        auto& [steps] = all;
        return std::tie(steps);
    }
};
template <>
struct Recorded<engine::Reconfigured> {
    static constexpr std::array<std::string_view, 7> names = {
        "profiles", "barrierTimeout", "settle", "claimAfter", "claimLifetime", "budget", "preemption"};
    static auto fields(auto& all) {
        auto& [profiles, barrier_timeout, settle, claim_after, claim_lifetime, budget, preemption] = all;
        return std::tie(profiles, barrier_timeout, settle, claim_after, claim_lifetime, budget, preemption);
    }
};
template <>
struct Recorded<model::Limits> {
    static constexpr std::array<std::string_view, 12> names = {
        "members",       "groups",       "depth",     "declaredGroups", "annotationBytes", "annotationDepth",
        "topologyNodes", "patternBytes", "resources", "messageBytes",   "longestHold",     "freePriority"};
    static auto fields(auto& all) {
        auto& [members, groups, depth, declared_groups, annotation_bytes, annotation_depth, topology_nodes,
               pattern_bytes, resources, message_bytes, longest_hold, free_priority] = all;
        return std::tie(members, groups, depth, declared_groups, annotation_bytes, annotation_depth, topology_nodes,
                        pattern_bytes, resources, message_bytes, longest_hold, free_priority);
    }
};
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

#pragma once

// How does a test set up a clearing? A rack of four hosts, full with two less important gangs, and an important gang
// that comes later.

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <doctest/doctest.h>

namespace echelon::engine::test {

inline Options preempting() {
    auto options = Rig::default_options();
    options.profiles["default-scheduler"].preempt = true;
    options.writes_events = true;
    return options;
}

// Binds "low" and "other", two members each.
inline void full_rack(Rig& rig) {
    rig.fabric(1, 1, 4);
    rig.synced();
    for (const char* name : {"low", "other"}) {
        rig.gang({name, 2, {}, 1, 1});
        rig.pods(name, 0, 2);
        rig.live(3);
    }
    REQUIRE(rig.bound().size() == 4);
}

inline void comes(Rig& rig, const std::string& name = "top", int pods = 2, std::int64_t priority = 100) {
    rig.gang({name, pods, {}, priority, 2});
    rig.pods(name, 0, pods);
    rig.advance(Time{1000});
}

inline model::Phase phase_of(const Rig& rig, const std::string& gang) {
    const auto* record = rig.record(gang);
    return record == nullptr ? model::Phase::pending : record->phase;
}

// Delays answers to writes of GangPlans, until `rig.is_late` is empty again.
inline void delay_records(Rig& rig) {
    rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::ApplyPlan>(write); };
}

inline void budget(Rig& rig, const std::string& name, const model::Labels& labels, std::int64_t allowed) {
    std::vector<model::Requirement> selector;
    for (const auto& [key, value] : labels)
        selector.push_back({.key = key, .op = model::Requirement::Operator::in, .values = {value}});
    rig.step(Observed{model::BudgetSeen{{.ns = "default", .name = name, .selector = selector, .allowed = allowed}}});
}

inline model::Outcome answer(model::Outcome::Kind kind, const std::string& budget = {}) {
    model::Outcome outcome;
    outcome.kind = kind;
    outcome.sentence = "answered with something else";
    outcome.budget = budget;
    return outcome;
}

// A budget doesn't allow the eviction of the pod.
inline void refuse_eviction(Rig& rig, const std::string& pod) {
    rig.fate = [pod](const model::Write& write) -> std::optional<model::Outcome> {
        const auto* evict = std::get_if<model::EvictPod>(&write);
        if (evict == nullptr || evict->pod.name != pod)
            return std::nullopt;
        return answer(model::Outcome::Kind::rejected, "web");
    };
}

}  // namespace echelon::engine::test

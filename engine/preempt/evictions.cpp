// The evictions of a clearing: pods that a disruption budget selects one after another, then all others at once.

#include "engine/preempt/clearings.hpp"
#include "model/gang/gang_facts.hpp"
#include "solver/preemption/units.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

using Step = ClearingVictim::Step;

constexpr Time first_retry{500};  // After an eviction with an unknown outcome; doubles up to 16 s.
constexpr std::uint32_t retry_doublings = 5;
constexpr Time refused_retry{10'000};  // After an eviction that was refused when other victims had gone.

}  // namespace

bool Clearings::is_recorded(const GangState& gang) const {
    const auto& record = gang.record();
    return record.write == 0 && record.kept_epoch == record.epoch && record.written &&
           record.written->phase == model::Phase::clearing;
}

bool Clearings::may_evict(const GangState& gang, const ClearingVictim& victim) const {
    const auto& cluster = p_.facts.cluster;
    const auto* pod = cluster.pod(victim.facts.uid);
    if (pod == nullptr || pod->node != victim.facts.node || pod->is_protected)
        return false;
    const auto root = cluster.root_of(*pod);
    const auto priority = root ? model::priority_of(cluster.facts(*root)) : pod->priority;
    if (priority >= model::priority_of(cluster.facts(gang.root())))
        return false;
    // Once a pod of a gang was evicted the others follow: they were chosen together.
    return !root || !is_first_of_gang(gang, victim) || loses_victims_only(gang, *root);
}

bool Clearings::is_first_of_gang(const GangState& gang, const ClearingVictim& victim) {
    return std::ranges::none_of(gang.clearing().victims, [&](const ClearingVictim& other) {
        return other.facts.gang == victim.facts.gang && (other.step == Step::evicting || other.step == Step::evicted);
    });
}

bool Clearings::loses_victims_only(const GangState& gang, const model::GroupKey& running) const {
    std::set<std::string_view> victims;
    for (const auto& victim : gang.clearing().victims)
        victims.insert(victim.facts.uid);
    const auto there = p_.facts.cluster.running_gang(running);
    std::vector<std::uint8_t> lost;
    for (const auto& pod : there.pods) {
        lost.push_back(victims.contains(pod.uid) ? 1 : 0);
        if (lost.back() != 0 && pod.is_protected)
            return false;
    }
    auto all = lost;
    solver::preemption::spread_loss(there, all);
    return all == lost;
}

void Clearings::check(GangState& gang) {
    if (gang.lifecycle.stage() == Stage::bound && gang.clearing().failures > 0) {
        auto& state = gang.clearing(Key<Clearings>());
        state.failures = 0;
        state.not_before = Time{0};
    }
    if (!gang.lifecycle.is_clearing())
        return;
    if (gang.lifecycle.stage() == Stage::bound)
        return complete(gang);
    if (gang.lifecycle.stage() != Stage::clearing)
        return give_up(gang, ClearingResult::changed, "its seats are lost");
    const auto& state = gang.clearing();
    if (p_.facts.now >= state.until) {
        const auto left = std::ranges::find_if(state.victims, [this](const auto& each) { return is_there(each); });
        const auto which = left == state.victims.end() ? std::string("its victims") : "pod " + left->facts.pod;
        return give_up(
            gang, ClearingResult::timed_out,
            fmt::format("{} did not go within {} s", which, p_.facts.options.preemption.timeout.count() / 1000));
    }
    if (!may_preempt(gang))
        return give_up(gang, ClearingResult::changed, "its profile or its priority class no longer preempts");
    if (!gang.record().is_served)
        return give_up(gang, ClearingResult::refused, "the API server keeps no GangPlan with the victims");
    // A gang that has changed is planned before pods are evicted for it.
    if (p_.facts.may_act() && is_recorded(gang) && !gang.is_dirty())
        evict_next(gang);
}

// Pods with a disruption budget go first: the budget may refuse, and then no pod was lost in vain (P5).
void Clearings::evict_next(GangState& gang) {
    auto& victims = gang.clearing(Key<Clearings>()).victims;
    for (auto& victim : victims) {
        if (victim.step == Step::waiting && (!is_there(victim) || p_.facts.cluster.pod(victim.facts.uid)->deleting))
            victim.step = Step::leaving;
    }
    const auto first = std::ranges::find_if(victims, [](const ClearingVictim& each) {
        return each.has_budget && (each.step == Step::waiting || each.step == Step::evicting);
    });
    if (first != victims.end()) {
        if (first->step == Step::waiting && first->retry_at <= p_.facts.now)
            evict(gang, *first);
        return;
    }
    for (auto& victim : victims) {
        if (victim.step == Step::waiting && victim.retry_at <= p_.facts.now && !evict(gang, victim))
            return;
    }
}

bool Clearings::evict(GangState& gang, ClearingVictim& victim) {
    if (!may_evict(gang, victim)) {
        give_up(gang, ClearingResult::changed, fmt::format("pod {} may not be evicted any more", victim.facts.pod));
        return false;
    }
    const auto* pod = p_.facts.cluster.pod(victim.facts.uid);
    victim.step = Step::evicting;
    p_.outbox.write({WriteTarget::Purpose::evict, gang.root(), pod->uid},
                    model::EvictPod{{pod->ns, pod->name, pod->uid}});
    return true;
}

void Clearings::on_answer(const base::Text& uid, const model::Outcome& outcome) {
    using Kind = model::Outcome::Kind;
    if (outcome.kind == Kind::done)
        p_.figures.add(&Stats::victims);
    if (outcome.kind != Kind::rejected && outcome.kind != Kind::unknown && outcome.kind != Kind::conflict)
        return;
    for (auto& [profile, left] : left_by_profile_) {
        if (left.erase(uid) > 0)
            p_.queue.note_freed_room();  // Nobody has to wait for this pod to end.
    }
}

void Clearings::on_written(GangState& gang, const base::Text& uid, const model::Outcome& outcome) {
    using Kind = model::Outcome::Kind;
    auto& state = gang.clearing(Key<Clearings>());
    const auto victim =
        std::ranges::find_if(state.victims, [&](const ClearingVictim& each) { return each.facts.uid == uid; });
    if (victim == state.victims.end())
        return;
    if (outcome.kind == Kind::done)
        p_.event_reporter.report_preempted(gang, victim->facts);
    // A conflict says that the pod has changed meanwhile, or that it is gone and another pod has the name.
    const bool is_in_doubt = outcome.kind == Kind::unknown || (outcome.kind == Kind::conflict && is_there(*victim));
    if (outcome.kind == Kind::rejected || is_in_doubt)
        return on_refused(gang, *victim, outcome);
    victim->step = Step::evicted;
}

void Clearings::on_refused(GangState& gang, ClearingVictim& victim, const model::Outcome& outcome) {
    const bool is_final = outcome.kind == model::Outcome::Kind::rejected;
    victim.step = Step::waiting;
    if (!gang.lifecycle.is_clearing()) {
        p_.queue.note_freed_room();  // Nobody has to wait for this pod to end.
        return on_victim_changed(gang);
    }
    if (!is_final) {
        victim.retry_at = p_.facts.now + first_retry * (1U << std::min(victim.failures++, retry_doublings));
        return;
    }
    const auto& victims = gang.clearing().victims;
    const auto why = outcome.budget.empty() ? outcome.sentence
                                            : fmt::format("disruption budget {} does not allow the eviction of pod {}",
                                                          outcome.budget, victim.facts.pod);
    if (std::ranges::none_of(victims, [](const auto& each) { return each.step != Step::waiting; }))
        return give_up(gang, ClearingResult::refused, why);
    victim.retry_at = p_.facts.now + refused_retry;
    p_.outbox.note(Note::Level::warning, gang.root(), why);
}

Time Clearings::next_wake(const GangState& gang) const {
    const auto& state = gang.clearing();
    Time first = std::min(state.until, state.replan_at);
    for (const auto& victim : state.victims) {
        if (gang.lifecycle.is_clearing() && victim.step == Step::waiting && victim.retry_at > p_.facts.now)
            first = std::min(first, victim.retry_at);
    }
    return first;
}

}  // namespace echelon::engine

// Who waits too long: a gang that is refused for want of room again and again claims a domain in the end (rules Q5 to
// Q7).

#include "engine/state.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr Time claim_retry{30'000};  // When every domain that would do is claimed already.
constexpr std::size_t sites_remembered = 64;

}  // namespace

void Engine::State::age(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                        const solver::Refusal& refusal) {
    const bool earns = refusal.reason == model::Reason::no_room && refusal.is_proved() && options.claim_after > Time{0};
    if (!earns)
        return reset_starvation(gang);
    if (gang.starving_since == never) {
        gang.starving_since = now;
        gang.claim_at = now + options.claim_after;
    }
    if (now < gang.claim_at || claims.of(gang.root) != nullptr)
        return;
    gang.claim_at = now + claim_retry;
    const auto may_claim = [&](const DomainId& site) {
        return !claims.overlaps(snapshot, site) &&
               std::ranges::find(gang.domains_tried, site) == gang.domains_tried.end();
    };
    const auto budget = budget_for_claims();
    work(budget.steps);
    auto site = closest_domain(snapshot, built, budget, gang.reservations_tried, may_claim);
    if (!site && !gang.domains_tried.empty()) {
        gang.domains_tried.clear();  // Every other had its turn.
        site = closest_domain(snapshot, built, budget, gang.reservations_tried, may_claim);
    }
    if (!site)
        return;
    gang.claim_at = never;
    note(Note::Level::info, &gang,
         fmt::format("refused for {} s: room that becomes free in {} is kept for it",
                     (now - gang.starving_since).count() / 1000, shown(*site)));
    claims.put(gang.root, {std::move(*site), now + options.claim_lifetime});
    schedule_record(gang, Time{100});
}

void Engine::State::reset_starvation(GangState& gang) {
    gang.starving_since = never;
    gang.claim_at = never;
    gang.reservations_tried = 0;
    gang.domains_tried.clear();
    if (claims.drop(gang.root))
        capacity_may_be_free = true;
}

void Engine::State::expire_claim(GangState& gang) {
    const auto* claim = claims.of(gang.root);
    if (claim == nullptr)
        return;
    note(Note::Level::info, &gang, fmt::format("its claim on {} has ended without a place", shown(claim->site)));
    if (gang.domains_tried.size() >= sites_remembered)
        gang.domains_tried.clear();
    gang.domains_tried.push_back(claim->site);
    ++gang.reservations_tried;
    claims.drop(gang.root);
    // Others have their chance first; then it is its turn again.
    gang.claim_at = now + options.claim_after;
    capacity_may_be_free = true;
    schedule_record(gang, Time{100});
}

bool Engine::State::ends_by(const model::Gang& built, Time until) const {
    return std::ranges::all_of(built.members, [&](const model::Member& member) {
        if (member.state != model::Member::State::waiting)
            return true;
        const auto* pod = cluster.pod(member.uid);
        if (pod == nullptr || pod->active_deadline == 0)
            return false;
        // It begins to run after the barrier at the latest, and ends so long after that.
        const auto left = until - now - options.barrier_timeout;
        return left > Time{0} && pod->active_deadline <= left / Time{1000};
    });
}

}  // namespace echelon::engine

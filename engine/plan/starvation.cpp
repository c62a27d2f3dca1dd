#include "engine/plan/starvation.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr Time reserve_retry{30'000};  // Until the next try, if every domain that would do is reserved already.
constexpr std::size_t domains_remembered = 64;
// How long a domain stays reserved while members are missing: controllers re-create them sooner.
constexpr Time longest_absence{30'000};

}  // namespace

void Starvation::note_refused(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                              const solver::Refusal& refusal) {
    const auto after = facts_.options.claim_after;
    auto& state = gang.starvation(Key<Starvation>());
    const auto* root = facts_.cluster.group(gang.root());
    auto root_uid = root != nullptr ? root->uid : std::string();
    if (state.root_uid != root_uid) {
        reset(gang);
        state.root_uid = std::move(root_uid);
    }
    if (refusal.reason == model::Reason::incomplete)
        return pause(gang);
    if (refusal.reason != model::Reason::no_room || !refusal.is_proved() || after <= Time{0})
        return reset(gang);
    resume(gang);
    if (state.since == never) {
        state.since = facts_.now;
        state.reserve_at = facts_.now + after;
    }
    if (facts_.now >= state.reserve_at && reservations_.of(gang.root()) == nullptr)
        reserve(gang, built, snapshot);
}

void Starvation::reserve(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot) {
    auto& state = gang.starvation(Key<Starvation>());
    state.reserve_at = facts_.now + reserve_retry;
    const auto may_reserve = [&](const DomainId& domain) {
        return !reservations_.overlaps(snapshot, domain) &&
               std::ranges::find(state.domains_tried, domain) == state.domains_tried.end();
    };
    const auto budget = work_.budget_for_reservations();
    work_.add(budget.steps);
    auto domain = closest_domain(snapshot, built, budget, state.reservations_tried, may_reserve);
    if (!domain && !state.domains_tried.empty()) {
        state.domains_tried.clear();  // Every domain was tried once.
        domain = closest_domain(snapshot, built, budget, state.reservations_tried, may_reserve);
    }
    if (!domain)
        return;
    state.reserve_at = never;
    outbox_.note(Note::Level::info, gang.root(),
                 fmt::format("refused for {} s: capacity freed in {} is reserved for it",
                             (facts_.now - state.since).count() / 1000, display_name(*domain)));
    reservations_.put(gang.root(),
                      {std::move(*domain), facts_.now + facts_.options.claim_lifetime, gang.tree().priority});
    records_.schedule_write(gang, Time{100});
}

void Starvation::pause(GangState& gang) {
    auto& state = gang.starvation(Key<Starvation>());
    if (state.since == never || state.paused_at != never)
        return;
    state.paused_at = facts_.now;
    state.left = state.reserve_at == never ? Time{0} : std::max(Time{0}, state.reserve_at - facts_.now);
    state.reserve_at = never;
}

void Starvation::resume(GangState& gang) {
    auto& state = gang.starvation(Key<Starvation>());
    if (state.paused_at == never)
        return;
    state.since += facts_.now - std::exchange(state.paused_at, never);
    state.reserve_at = reservations_.of(gang.root()) == nullptr ? facts_.now + state.left : never;
}

void Starvation::reset(GangState& gang) {
    auto& state = gang.starvation(Key<Starvation>());
    StarvationState anew;
    anew.root_uid = std::move(state.root_uid);
    state = std::move(anew);
    if (reservations_.drop(gang.root()))
        queue_.note_freed_room();
}

void Starvation::expire(GangState& gang) {
    const auto* reservation = reservations_.of(gang.root());
    if (reservation == nullptr || next_wake(gang) > facts_.now)
        return;
    auto& state = gang.starvation(Key<Starvation>());
    if (reservation->until > facts_.now) {
        reservations_.drop(gang.root());
        queue_.note_freed_room();
        return records_.schedule_write(gang, Time{100});
    }
    outbox_.note(Note::Level::info, gang.root(),
                 fmt::format("its reservation of {} has ended without a placement", display_name(reservation->domain)));
    if (state.domains_tried.size() >= domains_remembered)
        state.domains_tried.clear();
    state.domains_tried.push_back(reservation->domain);
    ++state.reservations_tried;
    reservations_.drop(gang.root());
    // Other gangs have their chance first; then this one may reserve again.
    state.reserve_at = facts_.now + facts_.options.claim_after;
    queue_.note_freed_room();
    records_.schedule_write(gang, Time{100});
}

Time Starvation::next_wake(const GangState& gang) const {
    const auto* reservation = reservations_.of(gang.root());
    if (reservation == nullptr)
        return never;
    const auto paused_at = gang.starvation().paused_at;
    return paused_at == never ? reservation->until : std::min(reservation->until, paused_at + longest_absence);
}

namespace {

bool ends_by(const Facts& facts, const model::Gang& built, Time until) {
    return std::ranges::all_of(built.members, [&](const model::Member& member) {
        if (member.state != model::Member::State::waiting)
            return true;
        const auto* pod = facts.cluster.pod(member.uid);
        if (pod == nullptr || pod->active_deadline == 0)
            return false;
        // A pod starts when the barrier opens, at the latest, and ends within its deadline.
        const auto left = until - facts.now - facts.options.barrier_timeout;
        return left > Time{0} && pod->active_deadline <= left / Time{1000};
    });
}

}  // namespace

bool may_pass(const Facts& facts, const model::Gang& built, const DomainReservation& reservation) {
    return reservation.priority < built.priority || ends_by(facts, built, reservation.until);
}

}  // namespace echelon::engine

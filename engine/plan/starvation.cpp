#include "engine/plan/starvation.hpp"

#include "engine/reserve/promised_start.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

// Until the next try, if every domain that would do is reserved already; and until a reservation is judged anew.
constexpr Time reserve_retry{30'000};
constexpr Time without_promise{120'000};  // The same for a reservation without a promise.
constexpr std::size_t domains_remembered = 64;
// How long a domain stays reserved while more than room is missing: controllers re-create members sooner.
constexpr Time longest_absence{30'000};
constexpr std::uint32_t most_doublings = 5;  // Of the time between two reservations of a gang.
constexpr std::uint64_t pods_per_step = 16;  // Walked for the cost of one step of a search.

}  // namespace

void Starvation::note_refused(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                              const solver::Refusal& refusal) {
    const auto after = facts_.options.claim_after;
    if (after <= Time{0})
        return reset(gang);
    auto& state = gang.starvation(Key<Starvation>());
    const auto* root = facts_.cluster.group(gang.root());
    auto root_uid = root != nullptr ? root->uid : std::string();
    if (state.root_uid != root_uid) {
        reset(gang);
        state.root_uid = std::move(root_uid);
    }
    update_priority(gang);
    if (refusal.is_proved() && refusal.reason != model::Reason::no_room)
        return pause(gang);
    resume(gang);
    if (!refusal.is_proved()) {
        // It earns nothing, and loses nothing that was earned.
        if (state.reserve_at <= facts_.now)
            state.reserve_at = facts_.now + reserve_retry;
        return;
    }
    if (state.since == never) {
        state.since = facts_.now;
        state.reserve_at = facts_.now + after;
    }
    if (reservations_.of(gang.root()) != nullptr) {
        renew(gang, built, snapshot);
    } else if (facts_.now >= state.reserve_at) {
        reserve(gang, built, snapshot);
    }
}

void Starvation::update_priority(const GangState& gang) {
    const auto* before = reservations_.of(gang.root());
    if (before == nullptr || before->priority == gang.tree().priority)
        return;
    auto reservation = *before;
    reservation.priority = gang.tree().priority;
    reservations_.put(gang.root(), std::move(reservation));
    queue_.note_freed_room();
}

void Starvation::reserve(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot) {
    auto& state = gang.starvation(Key<Starvation>());
    state.reserve_at = facts_.now + reserve_retry;
    auto reservation = promised(gang, built, snapshot);
    if (!reservation) {
        auto domain = closest(gang, built, snapshot);
        if (!domain)
            return;
        reservation.emplace(std::move(*domain), facts_.now + facts_.options.claim_lifetime, gang.tree().priority);
    }
    outbox_.note(Note::Level::info, gang.root(),
                 fmt::format("refused for {} s: capacity freed in {} is reserved for it",
                             (facts_.now - state.since).count() / 1000, display_name(reservation->domain)));
    state.reserve_at = next_renewal(*reservation);
    reservations_.put(gang.root(), std::move(*reservation));
    records_.schedule_write(gang, Time{100});
}

Time Starvation::next_renewal(const DomainReservation& reservation) const {
    return facts_.now + (reservation.promise ? reserve_retry : without_promise);
}

std::optional<DomainReservation> Starvation::promised(const GangState& gang, const model::Gang& built,
                                                      const model::Snapshot& snapshot) {
    auto search = promised_start(facts_, reservations_, built, snapshot, work_.budget_for_reservations());
    work_.add(search.steps + facts_.cluster.pod_count() / pods_per_step);
    if (!search.found)
        return std::nullopt;
    std::optional<DomainReservation> reservation(std::in_place);
    reservation->domain = std::move(search.found->domain);
    reservation->priority = gang.tree().priority;
    reservation->free_by = facts_.time_of(search.found->promise.at);
    reservation->until = std::max(facts_.now, reservation->free_by) + facts_.options.claim_lifetime;
    reservation->promise = std::move(search.found->promise);
    return reservation;
}

std::optional<DomainId> Starvation::closest(GangState& gang, const model::Gang& built,
                                            const model::Snapshot& snapshot) {
    auto& state = gang.starvation(Key<Starvation>());
    const auto may_reserve = [&](const DomainId& domain) {
        return !reservations_.overlaps(snapshot, domain) &&
               std::ranges::find(state.domains_tried, domain) == state.domains_tried.end();
    };
    const auto budget = work_.budget_for_reservations();
    const auto staying = facts_.cluster.pods_of_nodes();
    work_.add(budget.steps + facts_.cluster.pod_count() / pods_per_step);
    auto domain = closest_domain(snapshot, built, staying, budget, state.reservations_tried, may_reserve);
    if (!domain && !state.domains_tried.empty()) {
        state.domains_tried.clear();  // Every domain was tried once.
        domain = closest_domain(snapshot, built, staying, budget, state.reservations_tried, may_reserve);
    }
    return domain;
}

void Starvation::renew(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot) {
    const auto& before = *reservations_.of(gang.root());
    auto reservation = promised(gang, built, snapshot);
    auto& reserve_at = gang.starvation(Key<Starvation>()).reserve_at;
    const bool is_due = reserve_at <= facts_.now;
    if (is_due || reservation)
        reserve_at = next_renewal(reservation ? *reservation : before);
    if (!reservation && !before.promise && !is_in_vain(before, built, snapshot, is_due))
        return;
    if (reservation && reservation->promise == before.promise)
        return;
    queue_.note_freed_room();
    records_.schedule_write(gang, Time{100});
    if (reservation)
        return reservations_.put(gang.root(), std::move(*reservation));
    // Some end is unknown now, or the domain is of no use any more.
    outbox_.note(Note::Level::info, gang.root(),
                 fmt::format("its reservation of {} has ended, since what it rested on has changed",
                             display_name(before.domain)));
    const auto until = before.until;
    const bool had_promise = before.promise.has_value();
    reservations_.drop(gang.root());
    reserve(gang, built, snapshot);
    // A change of the gang makes no reservation last longer.
    if (const auto* next = reservations_.of(gang.root()); next != nullptr && !had_promise) {
        auto successor = *next;
        successor.until = std::min(successor.until, until);
        reservations_.put(gang.root(), std::move(successor));
    }
}

bool Starvation::is_in_vain(const DomainReservation& reservation, const model::Gang& built,
                            const model::Snapshot& snapshot, bool may_search) {
    if (!is_of_required_level(snapshot, built, reservation.domain))
        return true;
    if (!may_search)
        return false;
    const auto budget = work_.budget_for_reservations();
    work_.add(budget.steps + facts_.cluster.pod_count() / pods_per_step);
    return can_never_hold(snapshot, built, reservation.domain, facts_.cluster.pods_of_nodes(), budget);
}

void Starvation::pause(GangState& gang) {
    auto& state = gang.starvation(Key<Starvation>());
    if (state.since == never || state.paused_at != never)
        return;
    state.paused_at = facts_.now;
    const bool is_over = state.reserve_at == never || reservations_.of(gang.root()) != nullptr;
    state.left = is_over ? Time{0} : std::max(Time{0}, state.reserve_at - facts_.now);
    state.reserve_at = never;
}

void Starvation::resume(GangState& gang) {
    auto& state = gang.starvation(Key<Starvation>());
    if (state.paused_at == never)
        return;
    state.since += facts_.now - std::exchange(state.paused_at, never);
    state.reserve_at = facts_.now + state.left;
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
    // Other gangs have their chance first, for a longer time after each reservation that led to nothing.
    const auto wait = facts_.options.claim_after * (1U << std::min(state.reservations_tried, most_doublings));
    if (state.paused_at == never) {
        state.reserve_at = facts_.now + wait;
    } else {
        state.left = wait;
    }
    queue_.note_freed_room();
    records_.schedule_write(gang, Time{100});
}

Time Starvation::next_try(const GangState& gang) {
    return gang.lifecycle.is_clearing() ? never : gang.starvation().reserve_at;
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
        if (pod == nullptr)
            return false;
        if (const auto end = facts.cluster.declared_end(*pod); end > 0 && facts.time_of(end) <= until)
            return true;
        // It runs after the barrier at the latest, and ends within its deadline.
        const auto left = until - facts.now - facts.options.barrier_timeout;
        return pod->active_deadline > 0 && left > Time{0} && pod->active_deadline <= left / Time{1000};
    });
}

}  // namespace

bool may_pass(const Facts& facts, const model::Gang& built, const DomainReservation& reservation) {
    return reservation.priority < built.priority || ends_by(facts, built, reservation.free_by);
}

}  // namespace echelon::engine

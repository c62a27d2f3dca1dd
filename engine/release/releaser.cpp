#include "engine/release/releaser.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

using Release = SeatState::Release;
using Binding = SeatState::Binding;
using Purpose = WriteTarget::Purpose;

constexpr Time first_kick{3000};  // After the release; doubles up to the limit.
constexpr Time kick_limit{30'000};
constexpr Time stray_delay{500};  // Nominations that were under way when a plan was lost are cleared together.
constexpr Time write_retry{500};  // After an unknown outcome; doubles up to 16 s.
constexpr std::uint32_t kick_doublings = 4;
constexpr Time wake_delay{20};  // Before a parked member is woken; doubles with each kick.
constexpr std::uint32_t wake_doublings = 11;
constexpr std::uint32_t retry_doublings = 5;
constexpr std::uint32_t misses_to_believe = 3;
constexpr Time longest_lead{10'000};  // Of members over those that follow them.

// Delay before a parked member is kicked; grows with each kick.
Time parked_kick_delay(const SeatState& seat) {
    return std::min(wake_delay * (1U << std::min(seat.kicks, wake_doublings)), kick_limit);
}

// A follower that has no gate may be parked already.
Time delay_of_first_kick(const SeatState& seat, bool is_nomination) {
    return is_nomination && seat.follows ? Time{0} : first_kick;
}

}  // namespace

bool Releaser::nominates(const model::Pod& pod) const {
    const auto found = facts_.options.profiles.find(pod.scheduler_name);
    return found != facts_.options.profiles.end() && found->second.nominate;
}

void Releaser::release(GangState& gang) {
    auto due = gang.roster.times().to_release(facts_.now);
    std::erase_if(due, [](const SeatState* seat) { return seat->place == model::nowhere; });
    keep_back_followers(gang, due);
    std::ranges::sort(due, {}, &SeatState::place);
    outbox_.expect(due.size());
    for (const auto* seat : due)
        release(gang, *seat);
}

// A follower waits until kube-scheduler has placed the members that follow nobody. It would park one that comes
// earlier, and placing another pod doesn't wake that one before the other is bound.
void Releaser::keep_back_followers(GangState& gang, std::vector<const SeatState*>& due) const {
    auto& at = gang.release(Key<Releaser>()).followers_at;
    const auto may_wait = [](const SeatState* seat) { return seat->follows && seat->release == Release::to_nominate; };
    if (std::ranges::none_of(due, may_wait)) {
        at = never;
        return;
    }
    if (at == never)
        at = facts_.now + longest_lead;
    const auto leads = [](const auto& entry) { return !entry.second.follows && entry.second.binding == Binding::idle; };
    if (facts_.now < at && std::ranges::any_of(gang.roster.seats(), leads))
        std::erase_if(due, may_wait);
}

void Releaser::release(GangState& gang, const SeatState& seat) {
    const auto& uid = seat.pod.uid;
    const auto* pod = facts_.cluster.pod(uid);
    if (pod == nullptr) {
        gang.roster.change(uid, [&](SeatState& changed) {
            // The pod is gone; planning will notice.
            changed.kick_at = std::max(changed.kick_at, facts_.now + first_kick);
            changed.retry_at = facts_.now + first_kick;
        });
        return;
    }
    if (seat.release == Release::to_nominate && nominate(gang, *pod, seat))
        return;
    // Victims still have the room: gates fall when it is there (P3).
    if (gang.lifecycle.is_clearing())
        return put_off(gang, seat);
    if (seat.release == Release::to_ungate && ungate(gang, *pod))
        return;
    if (seat.release == Release::released && seat.kick_at <= facts_.now)
        kick(gang, *pod);
}

// The end of the clearing wakes the gang. Until then nothing is due.
void Releaser::put_off(GangState& gang, const SeatState& seat) const {
    if (seat.retry_at == never && seat.kick_at > facts_.now)
        return;
    gang.roster.change(seat.pod.uid, [&](SeatState& changed) {
        changed.retry_at = never;
        changed.kick_at = std::max(changed.kick_at, facts_.now + first_kick);
    });
}

// False: the pod needs no nomination.
bool Releaser::nominate(GangState& gang, const model::Pod& pod, const SeatState& seat) {
    const bool is_needed = nominates(pod) && pod.nominated_node != seat.node;
    gang.roster.change(pod.uid, [&](SeatState& changed) {
        changed.retry_at = never;
        changed.release = is_needed ? Release::nominating : Release::to_ungate;
    });
    if (is_needed)
        outbox_.write({Purpose::nominate, gang.root(), pod.uid}, model::NominatePod{seat.pod, seat.node});
    return is_needed;
}

// False: the pod has no gate of echelon.
bool Releaser::ungate(GangState& gang, const model::Pod& pod) {
    const bool is_needed = pod.has_our_gate();
    gang.roster.change(pod.uid, [&](SeatState& seat) {
        seat.retry_at = never;
        seat.release = is_needed ? Release::ungating : Release::released;
        // An ungated member that filter has refused is parked. A nomination has woken it; without one a kick must.
        const bool may_be_parked = seat.follows || (seat.was_refused_by_filter && !nominates(pod));
        if (!is_needed)
            seat.kick_at = may_be_parked ? facts_.now : facts_.now + first_kick;
    });
    if (is_needed)
        outbox_.write({Purpose::ungate, gang.root(), pod.uid}, model::UngatePod{gang.roster.seat(pod.uid)->pod});
    return is_needed;
}

void Releaser::kick(GangState& gang, const model::Pod& pod) {
    const bool is_under_way = gang.roster.seat(pod.uid)->is_kick_under_way;
    const bool lacks_nomination = nominates(pod) && pod.nominated_node != gang.roster.seat(pod.uid)->node;
    gang.roster.change(pod.uid, [&](SeatState& seat) {
        // A nomination alone doesn't wake a follower.
        const bool is_soon = seat.follows && lacks_nomination;
        const auto delay = std::min(first_kick * (1U << std::min(seat.kicks, kick_doublings)), kick_limit);
        seat.kick_at = facts_.now + (is_soon ? parked_kick_delay(seat) : delay);
        ++seat.kicks;
        if (pod.has_our_gate())
            seat.release = Release::to_nominate;  // The gate is back, so the pod is released again.
    });
    const auto& seat = *gang.roster.seat(pod.uid);
    if (pod.has_our_gate() || is_under_way)
        return;
    figures_.add(&Stats::kicks);
    gang.roster.change(pod.uid, [](SeatState& changed) { changed.is_kick_under_way = true; });
    if (lacks_nomination) {
        outbox_.write({Purpose::kick, gang.root(), pod.uid}, model::NominatePod{seat.pod, seat.node});
    } else {
        outbox_.write({Purpose::kick, gang.root(), pod.uid},
                      model::KickPod{seat.pod, fmt::format("{}.{}", gang.record().epoch, seat.kicks), seat.follows});
    }
}

void Releaser::kick_parked(GangState& gang, const base::Text& uid) {
    gang.roster.change(
        uid, [&](SeatState& seat) { seat.kick_at = std::min(seat.kick_at, facts_.now + parked_kick_delay(seat)); });
}

void Releaser::on_seen(GangState& gang, const model::Pod& pod) {
    const auto* seat = gang.roster.seat(pod.uid);
    // A failed attempt clears the nomination. The next attempt then sees only a sample of the nodes.
    const bool is_lost = seat != nullptr && nominates(pod) && pod.nominated_node != seat->node;
    if (is_lost && seat->release == Release::released && seat->binding == Binding::idle)
        kick_parked(gang, pod.uid);
}

Releaser::Finding Releaser::on_filtered(GangState& gang, const model::Pod& pod, const Filtered& filtered) {
    const auto& seat = *gang.roster.seat(pod.uid);
    if (filtered.answer == Filtered::Answer::refused) {
        // filter answered from an older published state. Without a wake-up the pod might stay parked (rule R16).
        gang.roster.change(pod.uid, [](SeatState& changed) { changed.was_refused_by_filter = true; });
        if (seat.release == Release::released)
            kick_parked(gang, pod.uid);
        return Finding::nothing;
    }
    // Does the list show that kube-scheduler refuses the planned node? A list may be a sample, and a list of one name
    // may stem from an older nomination. Where members are nominated, kube-scheduler tries the planned node first: only
    // while that nomination is in place does a miss count. Without nominations, one name is the whole list of a small
    // cluster. Only repeated misses count (rule R3).
    const bool may_be_nomination = filtered.names <= 1 && nominates(pod);
    if (filtered.names == 0 || may_be_nomination || filtered.node != seat.node || seat.binding != Binding::idle)
        return Finding::nothing;
    gang.roster.change(pod.uid, [](SeatState& changed) { changed.was_refused_by_filter = true; });
    kick_parked(gang, pod.uid);
    if (nominates(pod) && pod.nominated_node != seat.node)
        return Finding::nothing;
    gang.roster.change(pod.uid, [](SeatState& changed) { ++changed.offers_without_seat; });
    // A plan is blind to devices that echelon doesn't count: then kube-scheduler is believed at once (DR5).
    const auto enough = facts_.cluster.leaves_devices_open(pod) ? 1 : misses_to_believe;
    return seat.offers_without_seat < enough ? Finding::nothing : Finding::node_refused;
}

void Releaser::schedule_nomination_cleanup(GangState& gang) {
    auto& clear_nominations_at = gang.release(Key<Releaser>()).clear_nominations_at;
    if (clear_nominations_at == never)
        clear_nominations_at = facts_.now;
}

bool Releaser::on_stray_nomination(GangState& gang, const model::Pod& pod) {
    if (pod.nominated_node.empty() || !pod.has_our_gate() || gang.roster.seat(pod.uid) != nullptr)
        return false;
    auto& clear_nominations_at = gang.release(Key<Releaser>()).clear_nominations_at;
    clear_nominations_at = std::min(clear_nominations_at, facts_.now + stray_delay);
    return true;
}

// kube-scheduler keeps room for every nominated pod, and takes the nomination away when an attempt fails. A pod behind
// echelon's gate has no attempt: it would keep other pods out for as long as its gang waits.
void Releaser::clear_nominations(GangState& gang) {
    auto& clear_nominations_at = gang.release(Key<Releaser>()).clear_nominations_at;
    clear_nominations_at = never;
    auto& under_way = gang.release(Key<Releaser>()).clearings_under_way;
    if (under_way > 0) {
        clear_nominations_at = facts_.now + stray_delay;
        return;
    }
    for (const auto& row : gang.roster.members()) {
        const bool has_place = !row.node.empty() || gang.roster.seat(row) != nullptr;
        const auto* pod = has_place ? nullptr : facts_.cluster.pod(row.uid);
        if (pod == nullptr || pod->nominated_node.empty() || !pod->has_our_gate())
            continue;
        clear_nominations_at = facts_.now + kick_limit;  // Looks again later, in case this write fails.
        ++under_way;
        outbox_.write({Purpose::clear_nomination, gang.root(), row.uid},
                      model::NominatePod{{pod->ns, pod->name, pod->uid}, ""});
    }
}

void Releaser::on_nomination_cleared(GangState& gang) {
    auto& under_way = gang.release(Key<Releaser>()).clearings_under_way;
    under_way -= std::min(under_way, 1U);  // A write for an earlier gang of that name may have been answered.
}

void Releaser::try_again(GangState& gang, const WriteTarget& target, std::optional<Time> delay) const {
    gang.roster.change(target.uid, [&](SeatState& seat) {
        const auto doublings = std::min(seat.write_failures++, retry_doublings);
        seat.release = target.purpose == Purpose::nominate ? Release::to_nominate : Release::to_ungate;
        seat.retry_at = facts_.now + delay.value_or(write_retry * (1U << doublings));
    });
}

void Releaser::on_written(GangState& gang, const WriteTarget& target, const model::Outcome& outcome) {
    using Kind = model::Outcome::Kind;
    const auto* seat = gang.roster.seat(target.uid);
    if (seat == nullptr)
        return;
    if (target.purpose == Purpose::kick) {  // The next one is scheduled already.
        gang.roster.change(target.uid, [](SeatState& changed) { changed.is_kick_under_way = false; });
        return;
    }
    const bool is_nomination = target.purpose == Purpose::nominate;
    if (!is_nomination && seat->release != Release::ungating)
        return;  // It is the answer to a write of an earlier seat.
    if (outcome.kind == Kind::unknown || outcome.kind == Kind::conflict)
        return try_again(gang, target);
    // The watch will show it, and the seat ends then. Otherwise it wasn't the API server that answered.
    if (outcome.kind == Kind::gone)
        return try_again(gang, target, first_kick);
    // A nomination that arrives after the binding is refused, and no longer needed.
    const bool is_late = is_nomination && is_under_way(*seat);
    if (outcome.kind == Kind::rejected && !is_late) {
        if (facts_.leads) {  // Otherwise it was not sent.
            outbox_.note(Note::Level::warning, gang.root(),
                         fmt::format("pod \"{}/{}\": {} was refused: {}", seat->pod.ns, seat->pod.name,
                                     is_nomination ? "nomination" : "removal of the gate", outcome.sentence));
        }
        if (!is_nomination)
            return try_again(gang, target);
    }
    const auto* pod = facts_.cluster.pod(target.uid);
    // While victims use the room no member is woken to go there.
    const bool is_released =
        !gang.lifecycle.is_clearing() && (!is_nomination || (pod != nullptr && !pod->has_our_gate()));
    if (!is_nomination) {
        figures_.add(&Stats::gates_removed);
    } else if (outcome.kind == Kind::done) {
        figures_.add(&Stats::nominations);
    }
    gang.roster.change(target.uid, [&](SeatState& changed) {
        if (changed.binding == Binding::idle)
            changed.retry_at = never;  // It was the retry time of an earlier seat.
        changed.release = is_released ? Release::released : Release::to_ungate;
        if (is_released)
            changed.kick_at = facts_.now + delay_of_first_kick(changed, is_nomination);
    });
}

}  // namespace echelon::engine

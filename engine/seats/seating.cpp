#include "engine/seats/seating.hpp"

#include "engine/texts.hpp"

#include <utility>
#include <vector>

namespace echelon::engine {

namespace {

constexpr std::uint32_t setbacks_allowed = 3;  // Barrier time-outs until a hold is released (B8).

}  // namespace

Seating::Seating(const Facts& facts, Outbox& outbox, Figures& figures, Ledger& ledger, PlanQueue& queue,
                 Wakeups& wakeups, const FilterHistory& filtered)
    : facts_(facts),
      outbox_(outbox),
      figures_(figures),
      ledger_(ledger),
      queue_(queue),
      wakeups_(wakeups),
      filtered_(filtered) {}

void Seating::give(GangState& gang, const model::Pod& pod, const base::Text& node) {
    give(gang, pod, node, filtered_.was_refused_by_filter(pod.uid));
}

void Seating::restore(GangState& gang, const model::Pod& pod, const base::Text& node) {
    give(gang, pod, node, true);
}

void Seating::give(GangState& gang, const model::Pod& pod, const base::Text& node, bool was_refused_by_filter) {
    SeatState seat;
    seat.pod = {pod.ns, pod.name, pod.uid};
    seat.node = node;
    seat.follows = facts_.cluster.follows_others(pod);
    seat.was_refused_by_filter = was_refused_by_filter;
    gang.roster.give(std::move(seat));
    ledger_.put(pod.uid, {node, pod.pod_class.requests, gang.root(), pod.pod_class.alignment, pod.pod_class.devices});
    gang.verdicts.request_full_refresh();
}

void Seating::end(GangState& gang, const base::Text& uid, std::string_view why) {
    if (gang.roster.seat(uid) == nullptr)
        return;
    auto seat = gang.roster.end(uid);
    if (seat.call != 0)
        outbox_.answer(seat.call, BindResult::rejected, texts::about(gang.root().name, why));
    end_wait(seat, WaitResult::aborted);
    if (const auto* hold = ledger_.find(uid); hold != nullptr && hold->owner == gang.root())
        ledger_.release(uid);
    gang.verdicts.request_full_refresh();
    wakeups_.touch(gang.root());
    queue_.note_freed_room();
}

void Seating::end_unposted_seats(GangState& gang, std::string_view why) {
    for (const auto& uid : gang.roster.not_under_way())
        end(gang, uid, why);
}

void Seating::release_hold(GangState& gang, std::string_view why) {
    if (!gang.roster.seats().empty())
        figures_.add(&Stats::holds_broken);
    while (!gang.roster.seats().empty()) {
        const base::Text uid = gang.roster.seats().begin()->first;
        end(gang, uid, why);
    }
    end_placeholders(gang);
    clear_expiry(gang);
    gang.verdicts.request_full_refresh();
    gang.lifecycle.members_changed(gang.roster);
}

void Seating::end_bound(GangState& gang, const base::Text& uid) {
    if (gang.roster.seat(uid) == nullptr)
        return;
    auto seat = gang.roster.end(uid);
    if (seat.binding != SeatState::Binding::posted)
        figures_.add(&Stats::members_bound);
    if (seat.call != 0)
        outbox_.answer(seat.call, BindResult::ok, "");
    end_wait(seat, WaitResult::aborted);  // Bound by another party.
}

SeatState Seating::detach(GangState& gang, const base::Text& uid) {
    auto seat = gang.roster.end(uid);
    gang.verdicts.add_all();
    if (const auto* hold = ledger_.find(uid))
        ledger_.put(uid, {hold->node, hold->requests, {}, hold->alignment, hold->devices});
    return seat;
}

void Seating::fail_call(GangState& gang, const base::Text& uid, const CallFailure& how) {
    std::uint64_t call = 0;
    gang.roster.change(uid, [&](SeatState& seat) {
        seat.binding = SeatState::Binding::idle;
        seat.deadline = never;
        end_wait(seat, how.wait);
        call = std::exchange(seat.call, 0);
        if (how.kick_at)
            seat.kick_at = *how.kick_at;
    });
    if (call != 0)
        outbox_.answer(call, how.result, texts::about(gang.root().name, how.why));
}

void Seating::fail_all_calls(GangState& gang, const CallFailure& how) {
    for (const auto& [uid, seat] : gang.roster.seats())
        fail_call(gang, uid, how);
}

void Seating::end_wait(SeatState& seat, WaitResult result) {
    if (seat.arrived_at != never)
        figures_.waited(result, facts_.now - std::exchange(seat.arrived_at, never));
}

Time Seating::lifetime(const GangState& gang) const {
    const auto& timeout = gang.hold().timeout;
    return timeout ? Time{std::chrono::seconds(*timeout)} : facts_.options.hold_lifetime;
}

void Seating::set_timeout(GangState& gang, std::optional<std::int64_t> seconds) {
    gang.hold(Key<Seating>()).timeout = seconds;
}

void Seating::extend(GangState& gang) {
    gang.hold(Key<Seating>()).expires_at = facts_.now + lifetime(gang);
}

void Seating::extend_until(GangState& gang, Time until) {
    gang.hold(Key<Seating>()).expires_at = until;
}

void Seating::clear_expiry(GangState& gang) {
    gang.hold(Key<Seating>()).expires_at = never;
}

bool Seating::count_setback(GangState& gang) {
    auto& hold = gang.hold(Key<Seating>());
    if (++hold.setbacks < setbacks_allowed)
        return false;
    hold.setbacks = 0;
    return true;
}

std::uint32_t Seating::count_released_hold(GangState& gang) {
    return gang.hold(Key<Seating>()).holds_released++;
}

void Seating::reset_setbacks(GangState& gang) {
    auto& hold = gang.hold(Key<Seating>());
    hold.setbacks = 0;
    hold.holds_released = 0;
}

void Seating::hold_placeholder(GangState& gang, const std::string& name, PlaceholderSeat seat,
                               const model::PodClass& pod_class) {
    const auto* before = ledger_.find(name);
    if (before != nullptr && (before->node != seat.node || before->requests != pod_class.requests))
        queue_.note_freed_room();
    ledger_.put(name, {seat.node, pod_class.requests, gang.root(), pod_class.alignment, pod_class.devices});
    gang.hold(Key<Seating>()).placeholders.insert_or_assign(name, std::move(seat));
}

void Seating::end_placeholder(GangState& gang, const std::string& name) {
    ledger_.release(name);
    gang.hold(Key<Seating>()).placeholders.erase(name);
    queue_.note_freed_room();
}

void Seating::take_over_placeholder(GangState& gang, const std::string& name, const model::Pod& pod) {
    ledger_.release(name);
    const auto seat = gang.hold(Key<Seating>()).placeholders.extract(name);
    give(gang, pod, seat.mapped().node);
}

void Seating::rename_placeholder(GangState& gang, const std::string& name, const std::string& new_name) {
    auto hold = *ledger_.find(name);
    ledger_.release(name);
    ledger_.put(new_name, std::move(hold));
    auto& placeholders = gang.hold(Key<Seating>()).placeholders;
    auto node = placeholders.extract(name);
    node.key() = new_name;
    placeholders.insert(std::move(node));
}

void Seating::end_placeholders(GangState& gang) {
    auto& placeholders = gang.hold(Key<Seating>()).placeholders;
    for (const auto& [name, seat] : placeholders)
        ledger_.release(name);
    if (!placeholders.empty())
        queue_.note_freed_room();
    placeholders.clear();
}

}  // namespace echelon::engine

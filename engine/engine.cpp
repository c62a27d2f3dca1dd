#include "engine/engine.hpp"

#include "base/shortened.hpp"
#include "engine/state.hpp"
#include "engine/texts.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echelon::engine {

Engine::Engine(Options options) : state_(std::make_unique<State>(std::move(options))) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

std::vector<Action> Engine::step(const Input& input, Time now) {
    return step(std::span(&input, 1), now);
}

std::vector<Action> Engine::step(std::span<const Input> inputs, Time now) {
    state_->begin_step(inputs);
    // News of leadership comes first: the other inputs are judged under the lead that holds now.
    const bool is_lead_first = state_->options.step_work > 0;
    for (const auto& input : inputs) {
        if (is_lead_first && std::holds_alternative<LeadChanged>(input))
            state_->take(input, now);
    }
    // Calls come last: what one asks for at once must not be planned on facts that the next input changes.
    std::set<std::uint64_t> gone;
    for (const auto& input : inputs) {
        if (const auto* caller = std::get_if<CallerGone>(&input))
            gone.insert(caller->call);
        const bool is_taken = is_lead_first && std::holds_alternative<LeadChanged>(input);
        if (!std::holds_alternative<BindCalled>(input) && !is_taken)
            state_->take(input, now);
    }
    state_->retry_parked_binds();
    for (const auto& input : inputs) {
        const auto* called = std::get_if<BindCalled>(&input);
        if (called != nullptr && !gone.contains(called->call))
            state_->take(input, now);
    }
    return state_->finish_step();
}

std::shared_ptr<const Picture> Engine::picture() {
    return state_->picture();
}

std::optional<Time> Engine::wakes_at() const {
    Time first = never;
    if (!state_->timers.empty())
        first = std::min(first, state_->timers.begin()->first);
    if (state_->leads)
        first = std::min(first, state_->leads_until);
    first = std::min({first, state_->census_at, state_->rest_at});
    if (state_->may_act())
        first = std::min(first, state_->resolve_topology_at);
    if (!state_->plain_timers.empty())
        first = std::min(first, state_->plain_timers.begin()->first);
    first = std::min(first, state_->refused_nodes.next_end());
    for (const auto& record : state_->forgets_to_retry)
        first = std::min(first, record.retry_at);
    if (first == never)
        return std::nullopt;
    return first;
}

bool Engine::is_idle() const {
    if (state_->outbox.has_calls())
        return false;
    return std::ranges::none_of(state_->gangs, [](const auto& entry) {
        const auto& gang = entry.second;
        if (gang.commit == GangState::Commit::recording)
            return true;
        return std::ranges::any_of(gang.seats, [](const auto& seat) {
            return seat.second.binding == SeatState::Binding::posting ||
                   seat.second.binding == SeatState::Binding::settling;
        });
    });
}

Engine::State::State(Options o)
    : options(std::move(o)),
      cluster(model_profiles(options.profiles), options.limits),
      unsynced(options.wait_for.begin(), options.wait_for.end()) {}

void Engine::State::take(const Input& input, Time time) {
    now = std::max(now, time);
    if (leads && leads_until <= now)
        on(LeadChanged{false});
    std::visit([this](const auto& one) { on(one); }, input);
}

std::vector<Action> Engine::State::finish_step() {
    process_changed_gangs();
    is_topology_stale = false;
    rest_at = options.step_work > 0 && may_act() && is_any_due() ? now : never;
    return outbox.take();
}

void Engine::State::on(const Observed& observed) {
    const auto& event = observed.event;
    if (const auto* pod = std::get_if<model::PodSeen>(&event)) {
        on_pod_seen(*pod);
    } else if (const auto* synced = std::get_if<model::Synced>(&event)) {
        on_synced(synced->what);
    } else if (const auto* seen = std::get_if<model::PlanSeen>(&event)) {
        on_plan_seen(*seen);
    } else if (const auto* gone = std::get_if<model::PlanGone>(&event)) {
        on_plan_gone(gone->ns, gone->name);
    } else {
        apply(event);
    }
}

void Engine::State::on(const BindCalled& called) {
    const auto* pod = cluster.pod(called.pod.uid);
    const auto fail = [&](std::string why) { answer(called.call, BindResult::rejected, "echelon: " + std::move(why)); };
    if (is_draining)
        return answer(called.call, BindResult::error, "echelon: shutting down");
    if (!unsynced.empty()) {
        return answer(called.call, BindResult::error,
                      fmt::format("echelon: cache not synced: {}", fmt::join(unsynced, ", ")));
    }
    const std::string name = called.pod.ns + "/" + called.pod.name;
    if (pod == nullptr) {
        if (!asked.contains(called.pod.uid))
            return fail(fmt::format("pod \"{}\" with this UID isn't known", name));
        if (plain.contains(called.pod.uid))
            return fail(fmt::format("pod \"{}\" is being bound already", name));
        plain[called.pod.uid] = {called, true, true, now + Time{1000}, never, 0};
        outbox.await(called.call, {{}, called.pod.uid});
        return schedule_plain(called.pod.uid);
    }
    if (pod->ns != called.pod.ns || pod->name != called.pod.name) {
        return fail(fmt::format("UID belongs to pod \"{}\", not \"{}\"", pod->full_name(), name));
    }
    if (pod->deleting)
        return fail(fmt::format("pod \"{}\" is being deleted", name));
    if (pod->node == called.node)
        return answer(called.call, BindResult::ok, "");
    if (!pod->node.empty())
        return fail(fmt::format("pod \"{}\" is bound to node \"{}\" already", name, pod->node));
    if (!cluster.has_node(called.node))
        return fail(fmt::format("node \"{}\" isn't known", called.node));
    if (const auto root = cluster.root_of(*pod)) {
        on_member_call(gang_of(*root), *pod, called);
    } else {
        on_plain_call(called, *pod);
    }
}

void Engine::State::on(const CallerGone& gone) {
    const auto caller = outbox.withdraw(gone.call);
    if (!caller)
        return;
    if (!caller->is_member()) {
        auto& bind = plain.at(caller->uid);
        bind.caller_waits = false;
        if (bind.waits_for_pod)
            end_plain(caller->uid, BindResult::client_gone, "");
        return;
    }
    auto* gang = find_gang(caller->root);
    if (gang == nullptr || !gang->seats.contains(caller->uid))
        return;
    auto& seat = gang->seats.at(caller->uid);
    seat.call = 0;
    seat.deadline = never;
    touched.insert(caller->root);
    if (seat.binding == SeatState::Binding::arrived) {
        seat.binding = SeatState::Binding::idle;  // Withdrawn (I6).
        end_wait(seat, WaitResult::client_gone);
        seat.kick_at = now + Time{5000};
    }
}

void Engine::State::on(const Written& written) {
    const auto finished = outbox.finish(written.write);
    if (!finished)
        return;
    const auto& target = *finished;
    using Purpose = WriteTarget::Purpose;
    if (target.purpose == Purpose::plain_bind || target.purpose == Purpose::plain_read) {
        return on_plain_written(target.uid, target.purpose, written.outcome);
    }
    if (target.purpose == Purpose::forget) {
        auto forgotten = record_deletions.extract(written.write);
        // A conflict: somebody has created another one of that name, which isn't ours to delete.
        using Kind = model::Outcome::Kind;
        const auto kind = written.outcome.kind;
        const bool is_over = kind == Kind::done || kind == Kind::gone || kind == Kind::conflict;
        if (is_over || forgotten.empty())
            return;
        auto& record = forgotten.mapped();
        record.retry_at = now + Time{1000} * (1U << std::min(record.failures++, 6U));
        forgets_to_retry.push_back(std::move(record));
        return;
    }
    if (target.purpose == Purpose::tell)
        return on_event_written(written.outcome);
    auto* gang = find_gang(target.root);
    if (gang == nullptr)
        return;
    touched.insert(target.root);
    if (target.purpose == Purpose::record) {
        // The answer to a write of an earlier gang of that name is no commit record of this one (I1).
        if (gang->record_write == written.write)
            on_record_written(*gang, written.outcome);
        return;
    }
    if (target.purpose == Purpose::score)
        return on_score_written(*gang, written.outcome);
    if (target.purpose == Purpose::check)
        return on_group_read(*gang, written.write, written.outcome);
    auto seat = gang->seats.find(target.uid);
    if (seat == gang->seats.end())
        return;  // The watch was faster, or the pod is gone.
    // An answer that came too late for its seat says nothing about the present one.
    const auto binding = seat->second.binding;
    if (target.purpose == Purpose::bind && binding != SeatState::Binding::posting)
        return;
    if (target.purpose == Purpose::read && binding != SeatState::Binding::settling)
        return;
    if (target.purpose == Purpose::bind) {
        on_bind_written(*gang, seat->second, written.outcome);
    } else if (target.purpose == Purpose::read) {
        on_member_read(*gang, seat->second, written.outcome);
    } else {
        on_release_written(*gang, seat->second, target.purpose, written.outcome);
    }
}

void Engine::State::on(const Ticked&) {
    while (!timers.empty() && timers.begin()->first <= now) {
        touched.insert(timers.begin()->second);
        timer_of.erase(timers.begin()->second);
        timers.erase(timers.begin());
    }
    run_plain_timers();
    forget_refused_nodes();
    retry_forgets();
    count_topology();
}

void Engine::State::retry_forgets() {
    std::vector<RecordDeletion> due;
    std::erase_if(forgets_to_retry, [&](const RecordDeletion& record) {
        if (record.retry_at > now)
            return false;
        due.push_back(record);
        return true;
    });
    for (auto& record : due) {
        if (!leads) {
            record.retry_at = now + Time{30'000};  // Another one leads; the lead may come back.
            forgets_to_retry.push_back(std::move(record));
            continue;
        }
        const auto owner = record_owner.find(record.ns + "/" + record.name);
        if (owner == record_owner.end() || find_gang(owner->second) == nullptr)
            start_record_deletion(std::move(record));
    }
}

void Engine::State::on(const Draining&) {
    is_draining = true;
    for (auto& [root, gang] : gangs) {
        if (gang.commit == GangState::Commit::none) {
            for (auto& [uid, seat] : gang.seats) {
                if (seat.call == 0)
                    continue;
                seat.binding = SeatState::Binding::idle;
                seat.deadline = never;
                end_wait(seat, WaitResult::aborted);
                answer(std::exchange(seat.call, 0), BindResult::error, texts::about(root.name, texts::shutting_down));
            }
        }
        touched.insert(root);
    }
}

void Engine::State::process_changed_gangs() {
    do {
        if (std::exchange(capacity_may_be_free, false))
            retry_refused();
        plan_due();
        while (!touched.empty()) {
            const auto root = *touched.begin();
            touched.erase(touched.begin());
            if (auto* gang = find_gang(root))
                serve(*gang);
        }
        // A hold or a claim may just have expired.
    } while (capacity_may_be_free || (!is_planning_over() && may_act() && is_any_due()));
}

void Engine::State::serve(GangState& gang) {
    check_deadlines(gang);
    expire_placeholders(gang);
    if (now >= gang.expires_at)
        expire(gang);
    if (leads && !is_draining)
        release_seats(gang);
    if (gang.clear_nominations_at <= now && may_act() && !gang.is_dirty())
        clear_nominations(gang);
    if (const auto* claim = claims.of(gang.root); claim != nullptr && claim->until <= now)
        expire_claim(gang);
    if (gang.claim_at <= now && may_act() && !gang.is_dirty()) {
        gang.due = now;  // Planned once more, and if it is refused again it may claim.
        dirty.insert(gang.root);
    }
    if (gang.check_at <= now) {
        gang.check_at = never;
        gang.barrier_stale = true;
    }
    if (std::exchange(gang.barrier_stale, false)) {
        finish_commit(gang);
        open_barrier_if_met(gang);
    }
    retry_bindings(gang);
    if (gang.record_at <= now && gang.record_write == 0)
        write_record(gang);
    if (gang.answers_stale)
        refresh_verdicts(gang);
    count(gang);
    wake_at(gang, next_wake(gang));
}

Time Engine::State::next_wake(const GangState& gang) const {
    Time first =
        std::min({gang.expires_at, gang.check_at, gang.placeholders.empty() ? never : gang.placeholders_until});
    if (may_act())
        first = std::min(first, !gang.is_dirty() ? std::min(gang.claim_at, gang.clear_nominations_at)
                                : gang.due <= now && options.step_work > 0 ? never  // `rest_at` has it.
                                                                           : gang.due);
    if (const auto* claim = claims.of(gang.root))
        first = std::min(first, claim->until);
    if (gang.record_write == 0)
        first = std::min(first, gang.record_at);
    const bool releases = leads && !is_draining;
    for (const auto& [uid, seat] : gang.seats) {
        first = std::min(first, seat.deadline);
        const bool is_settling = seat.binding == SeatState::Binding::settling;
        const bool is_releasing =
            releases && seat.binding == SeatState::Binding::idle && seat.release != SeatState::Release::released;
        if (is_settling || is_releasing)
            first = std::min(first, seat.retry_at);
        if (releases && seat.release == SeatState::Release::released && seat.binding == SeatState::Binding::idle)
            first = std::min(first, seat.kick_at);
    }
    return first;
}

void Engine::State::wake_at(const GangState& gang, Time when) {
    if (auto old = timer_of.find(gang.root); old != timer_of.end()) {
        if (old->second == when)
            return;
        timers.erase({old->second, gang.root});
        timer_of.erase(old);
    }
    if (when == never)
        return;
    timers.insert({when, gang.root});
    timer_of[gang.root] = when;
}

void Engine::State::note(Note::Level level, const GangState* gang, std::string sentence) {
    outbox.note(level, gang != nullptr ? gang->root : model::GroupKey{}, std::move(sentence));
}

std::uint64_t Engine::State::write(WriteTarget target, model::Write what) {
    return outbox.write(std::move(target), std::move(what));
}

void Engine::State::answer(std::uint64_t call, BindResult result, std::string error) {
    outbox.answer(call, result, base::shortened(std::move(error), options.limits.message_bytes));
}

}  // namespace echelon::engine

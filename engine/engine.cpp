#include "engine/engine.hpp"

#include "engine/plain/shield.hpp"
#include "engine/state.hpp"
#include "engine/texts.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echelon::engine {

namespace {

using Purpose = WriteTarget::Purpose;

constexpr Time score_retry{5'000};

Facts facts_of(Options options) {
    auto cluster = model::Cluster(model_profiles(options.profiles), options.limits);
    std::set<std::string> unsynced(options.wait_for.begin(), options.wait_for.end());
    return {.options = std::move(options), .cluster = std::move(cluster), .unsynced = std::move(unsynced)};
}

}  // namespace

model::Profiles model_profiles(const std::map<std::string, ProfileOptions, std::less<>>& profiles) {
    model::Profiles found;
    for (const auto& [name, profile] : profiles)
        found[name] = {.gang = profile.gang, .topology = profile.topology};
    return found;
}

Engine::Engine(Options options) : state_(std::make_unique<State>(std::move(options))) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

std::vector<Action> Engine::step(const Input& input, Time now) {
    return state_->step(std::span(&input, 1), now);
}

std::vector<Action> Engine::step(std::span<const Input> inputs, Time now) {
    return state_->step(inputs, now);
}

std::shared_ptr<const PublishedState> Engine::published() {
    return state_->published();
}

std::optional<Time> Engine::wakes_at() const {
    const auto first = state_->wakes_at();
    return first == never ? std::nullopt : std::optional(first);
}

bool Engine::is_idle() const {
    return state_->is_idle();
}

std::optional<ExplainSnapshot> Engine::explain_snapshot(const model::GroupKey& root) const {
    return state_->explain_snapshot(root);
}

std::vector<HeldSeat> Engine::held_seats() const {
    return state_->held_seats();
}

std::vector<bool> Engine::may_evict(std::span<const std::vector<std::string>> victims) const {
    return engine::may_evict(state_->cluster(), victims);
}

TopologyView Engine::topology_view() const {
    return state_->topology_view();
}

Engine::State::State(Options options)
    : facts_(facts_of(std::move(options))),
      outcome_({.facts = facts_,
                .outbox = outbox_,
                .figures = figures_,
                .queue = queue_,
                .seating = seating_,
                .records = records_,
                .checker = checker_,
                .committer = committer_,
                .placeholders = placeholders_,
                .starvation = starvation_,
                .clearings = clearings_}),
      gang_planner_({.facts = facts_,
                     .figures = figures_,
                     .ledger = ledger_,
                     .reservations = reservations_,
                     .room = room_,
                     .refused_nodes = refused_nodes_,
                     .queue = queue_,
                     .work = work_,
                     .seating = seating_,
                     .placeholders = placeholders_,
                     .barrier = barrier_,
                     .tree = tree_,
                     .search = search_,
                     .long_searches = long_searches_,
                     .yielding_seats = yielding_seats_,
                     .clearings = clearings_,
                     .preemptor = preemptor_,
                     .outcome = outcome_}) {}

std::vector<Action> Engine::State::step(std::span<const Input> inputs, Time time) {
    work_.begin_step(inputs);
    // Leadership comes first: the other inputs are judged under the lead that holds now.
    const bool is_lead_first = work_.is_bounded();
    for (const auto& input : inputs) {
        if (is_lead_first && std::holds_alternative<LeadChanged>(input))
            take(input, time);
    }
    // Calls come last: a plan that a call needs must not be based on facts that the next input changes.
    std::set<std::uint64_t> gone;
    for (const auto& input : inputs) {
        if (const auto* caller = std::get_if<CallerGone>(&input))
            gone.insert(caller->call);
        const bool is_taken = is_lead_first && std::holds_alternative<LeadChanged>(input);
        if (!std::holds_alternative<BindCalled>(input) && !is_taken)
            take(input, time);
    }
    for (const auto& called : plain_.take_unparked())
        on(called);
    for (const auto& input : inputs) {
        const auto* called = std::get_if<BindCalled>(&input);
        if (called != nullptr && !gone.contains(called->call))
            take(input, time);
    }
    process_changed_gangs();
    if (promised_.update_reserved_nodes())
        work_.add_snapshots(1);
    if (scorer_.refresh())
        work_.add_snapshots(1);
    is_topology_stale_ = false;
    are_owners_marked_ = false;
    work_.end_step(facts_.may_act() && queue_.is_any_due());
    return outbox_.take();
}

Time Engine::State::wakes_at() const {
    Time first = std::min({wakeups_.first(), level_counts_at_, work_.continues_at(), plain_.first(),
                           refused_nodes_.next_end(), records_.next_deletion(), scorer_.due()});
    if (facts_.leads)
        first = std::min(first, facts_.leads_until);
    if (facts_.may_act())
        first = std::min({first, resolve_at_, queue_.next_due()});
    return first;
}

bool Engine::State::is_idle() const {
    if (outbox_.has_calls())
        return false;
    return std::ranges::none_of(gangs_.all(), [](const auto& entry) {
        const auto& gang = entry.second;
        return gang.lifecycle.is_recording() || gang.roster.counts().is_posting();
    });
}

void Engine::State::take(const Input& input, Time time) {
    facts_.now = std::max(facts_.now, time);
    if (facts_.leads && facts_.leads_until <= facts_.now)
        on(LeadChanged{false});
    std::visit([this](const auto& one) { on(one); }, input);
}

void Engine::State::on(const Observed& observed) {
    const auto& event = observed.event;
    promised_.note(event);
    scorer_.note(event);
    if (const auto* pod = std::get_if<model::PodSeen>(&event)) {
        on_pod_seen(*pod);
    } else if (const auto* synced = std::get_if<model::Synced>(&event)) {
        on_synced(synced->what);
    } else if (const auto* seen = std::get_if<model::PlanSeen>(&event)) {
        on_plan_seen(*seen);
    } else if (const auto* gone = std::get_if<model::PlanGone>(&event)) {
        records_.on_gone(gone->ns, gone->name);
    } else {
        apply(event);
    }
}

void Engine::State::on(const Filtered& filtered) {
    filtered_.note(filtered);
    if (filtered.answer == Filtered::Answer::passed || filtered.answer == Filtered::Answer::pinned)
        return;
    const auto* pod = facts_.cluster.pod(filtered.uid);
    const auto root = pod != nullptr ? facts_.cluster.root_of(*pod) : std::nullopt;
    auto* gang = root ? gangs_.find(*root) : nullptr;
    const auto* seat = gang != nullptr ? gang->roster.seat(filtered.uid) : nullptr;
    if (seat == nullptr)
        return;
    wakeups_.touch(gang->root());
    if (releaser_.on_filtered(*gang, *pod, filtered) != Releaser::Finding::node_refused)
        return;
    refused_nodes_.add(*root, pod->pod_class, seat->node, facts_.now + facts_.options.refused_node_memory);
    outbox_.note(
        Note::Level::info, gang->root(),
        fmt::format("kube-scheduler's own filters refuse node \"{}\" for pod \"{}\"", seat->node, pod->full_name()));
    queue_.mark(*gang);
}

void Engine::State::on(const CallerGone& gone) {
    const auto caller = outbox_.withdraw(gone.call);
    if (!caller)
        return;
    if (!caller->is_member())
        return plain_.on_caller_gone(caller->uid);
    auto* gang = gangs_.find(caller->root);
    if (gang == nullptr || gang->roster.seat(caller->uid) == nullptr)
        return;
    barrier_.on_caller_gone(*gang, caller->uid);
    wakeups_.touch(caller->root);
}

void Engine::State::on(const Written& written) {
    const auto target = outbox_.finish(written.write);
    if (!target)
        return;
    if (target->purpose == Purpose::plain_bind || target->purpose == Purpose::plain_read)
        return plain_.on_written(*target, written.outcome);
    if (target->purpose == Purpose::delete_record)
        return records_.on_record_deleted(written.write, written.outcome);
    if (target->purpose == Purpose::event)
        return event_reporter_.on_event_written(written.outcome);
    if (target->purpose == Purpose::evict)
        clearings_.on_answer(target->uid, written.outcome);
    auto* gang = gangs_.find(target->root);
    if (gang == nullptr)
        return;
    wakeups_.touch(target->root);
    if (written.outcome.is_too_large)
        queue_.mark(*gang);
    if (target->purpose == Purpose::record)
        return records_.on_written(*gang, written.write, written.outcome);
    if (target->purpose == Purpose::score) {
        if (!event_reporter_.on_score_written(*gang, written.outcome))
            records_.schedule_write(*gang, score_retry);
        return;
    }
    if (target->purpose == Purpose::condition)
        return conditions_.on_written(*gang, target->uid, written.outcome);
    if (target->purpose == Purpose::evict)
        return clearings_.on_written(*gang, target->uid, written.outcome);
    if (target->purpose == Purpose::clear_nomination)
        return Releaser::on_nomination_cleared(*gang);
    if (target->purpose == Purpose::check)
        return committer_.on_group_read(*gang, written.write, written.outcome);
    on_member_written(*gang, *target, written.outcome);
}

void Engine::State::on_member_written(GangState& gang, const WriteTarget& target, const model::Outcome& outcome) {
    const auto* seat = gang.roster.seat(target.uid);
    if (seat == nullptr)
        return;  // The watch was faster, or the pod is gone.
    // A late answer to a write for an earlier seat says nothing about the present one.
    using Binding = SeatState::Binding;
    if (target.purpose == Purpose::bind) {
        if (seat->binding == Binding::posting &&
            committer_.on_bind_written(gang, target.uid, outcome) == Committer::AfterBind::count_failed_barrier)
            barrier_.count_failed_barrier(gang);
    } else if (target.purpose == Purpose::read) {
        if (seat->binding == Binding::unresolved)
            committer_.on_member_read(gang, target.uid, outcome);
    } else {
        releaser_.on_written(gang, target, outcome);
    }
}

void Engine::State::on(const Ticked&) {
    wakeups_.touch_due(facts_.now);
    plain_.serve();
    if (refused_nodes_.forget(facts_.now))
        queue_.note_freed_room();
    records_.retry_deletions();
    if (level_counts_at_ <= facts_.now) {
        level_counts_at_ = never;
        work_.add_snapshots(1);
        figures_.count_topology(facts_.cluster.current());
    }
}

void Engine::State::on(const Reconfigured& changed) {
    auto& options = facts_.options;
    options.barrier_timeout = changed.barrier_timeout;
    options.settle = changed.settle;
    options.claim_after = changed.claim_after;
    options.claim_lifetime = changed.claim_lifetime;
    options.budget = changed.budget;
    options.preemption = changed.preemption;
    queue_.note_freed_room();  // A larger budget may find what a smaller one missed.
    if (options.profiles == changed.profiles)
        return;
    options.profiles = changed.profiles;
    schedule_conditions();
    // Gangs of a profile that is switched off end as if their groups had gone. Those of one that is switched on begin.
    note_change(facts_.cluster.reprofile(model_profiles(options.profiles)));
}

}  // namespace echelon::engine

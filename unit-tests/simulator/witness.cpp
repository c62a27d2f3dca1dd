// Checks of the inputs and actions of a process: calls, bindings, writes.

#include "unit-tests/simulator/witness.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::simulator {

namespace {

using Kind = model::Outcome::Kind;

constexpr Time minute{60'000};
constexpr std::uint64_t pod_writes_in_a_minute = 150;   // While faults are injected.
constexpr std::uint64_t gang_writes_in_a_minute = 600;  // Its record, at most every 100 ms.
constexpr std::uint64_t quiet_pod_writes = 20;
constexpr std::uint64_t quiet_gang_writes = 30;

std::string uid_in(const model::Write& what) {
    if (const auto* bind = std::get_if<model::BindPod>(&what))
        return bind->pod.uid;
    if (const auto* nominate = std::get_if<model::NominatePod>(&what))
        return nominate->pod.uid;
    if (const auto* ungate = std::get_if<model::UngatePod>(&what))
        return ungate->pod.uid;
    if (const auto* kick = std::get_if<model::KickPod>(&what))
        return kick->pod.uid;
    if (const auto* read = std::get_if<model::ReadPod>(&what))
        return read->pod.uid;
    if (const auto* evict = std::get_if<model::EvictPod>(&what))
        return evict->pod.uid;
    return {};
}

}  // namespace

std::string record_in(const model::Write& what) {
    if (const auto* record = std::get_if<model::ApplyPlan>(&what))
        return record->record.ns + "/" + record->record.name;
    if (const auto* forget = std::get_if<model::DeletePlan>(&what))
        return forget->ns + "/" + forget->name;
    return {};
}

Witness::Witness(World& world, const engine::Options& options, std::string name)
    : world_(world),
      options_(options),
      name_(std::move(name)),
      unsynced_(options.wait_for.begin(), options.wait_for.end()) {}

void Witness::fail(std::string_view invariant, const std::string& sentence) {
    world_.fail(invariant, name_ + ": " + sentence);
}

std::string Witness::about(const std::string& uid) const {
    const auto* pod = view_.pod(uid);
    return pod == nullptr ? fmt::format("pod with UID \"{}\"", uid) : fmt::format("pod \"{}\" ({})", pod->name, uid);
}

std::size_t Witness::open_calls() const {
    return calls_.size();
}

void Witness::expect_quiet(Time now) {
    quiet_since_ = now;
    rates_.clear();
}

void Witness::saw(std::span<const engine::Input> inputs, std::span<const engine::Action> actions,
                  const engine::PublishedState& published, std::optional<Time> wakes_at, Time now) {
    led_in_step_ = leads_;
    called_now_.clear();
    taken_now_.clear();
    changed_now_.clear();
    for (const auto& input : inputs) {
        hear(input, now);
        if (inputs.size() > 1)
            note_change(input);
    }
    read(published);
    // Calls answered in this step no longer count when its bindings are judged.
    for (const auto& action : actions) {
        if (const auto* answer = std::get_if<engine::AnswerBind>(&action))
            judge_answer(*answer);
        if (const auto* note = std::get_if<engine::Note>(&action);
            note != nullptr && note->level == engine::Note::Level::bug)
            fail("I2", "the referee rejected a plan: " + note->sentence);
    }
    for (const auto& action : actions) {
        if (const auto* write = std::get_if<engine::StartWrite>(&action))
            judge_write(*write, now);
    }
    check_i2_no_double_hold(now);
    check_i7_holds_finite();
    for (const auto& action : actions) {
        const auto* note = std::get_if<engine::Note>(&action);
        if (note != nullptr && note->sentence.starts_with("its reservation of "))
            claimed_since_.erase(note->gang);  // It has ended; the GangPlan says so later.
    }
    check_i7_claims_end(published, now);
    check_p5_clearings_end(published, now);
    if (!was_synced_ && acts()) {
        was_synced_ = true;
        note_commits_found();
        check_i8_restart_neutral();
    }
    check_i12_every_call_ends(wakes_at, now);
    check_i12_no_hot_clock(inputs, wakes_at, now);
    check_i12_solves(published, now);
    check_i13_isolation(published);
}

// ---- Inputs.

void Witness::hear(const engine::Input& input, Time now) {
    if (const auto* observed = std::get_if<engine::Observed>(&input)) {
        hear_of(observed->event);
        if (const auto* seen = std::get_if<model::PodSeen>(&observed->event);
            seen != nullptr && !seen->pod.node.empty())
            placed_since_.try_emplace(seen->pod.uid, now);
    } else if (const auto* call = std::get_if<engine::BindCalled>(&input)) {
        calls_[call->call] = {call->pod.uid, call->node, now, true};
        called_now_.insert({call->pod.uid, call->node});
    } else if (const auto* gone = std::get_if<engine::CallerGone>(&input)) {
        if (auto found = calls_.find(gone->call); found != calls_.end())
            found->second.caller_waits = false;
    } else if (const auto* written = std::get_if<engine::Written>(&input)) {
        hear_of(*written);
    } else if (const auto* lead = std::get_if<engine::LeadChanged>(&input)) {
        leads_ = lead->leads;
        led_in_step_ = led_in_step_ || leads_;
    } else if (std::holds_alternative<engine::Draining>(input)) {
        is_draining_ = true;
    }
    std::erase_if(calls_, [](const auto& entry) { return !entry.second.caller_waits; });
}

// Within one batch, a call may be answered by a plan from before the last input.
void Witness::note_change(const engine::Input& input) {
    const auto* observed = std::get_if<engine::Observed>(&input);
    if (observed == nullptr)
        return;
    if (const auto* pod = std::get_if<model::PodSeen>(&observed->event))
        changed_now_.insert(pod->pod.node);
    if (const auto* node = std::get_if<model::NodeSeen>(&observed->event))
        changed_now_.insert(node->node.name);
}

void Witness::hear_of(const model::Event& event) {
    view_.apply(event);
    if (const auto* synced = std::get_if<model::Synced>(&event)) {
        unsynced_.erase(synced->what);
    } else if (const auto* seen = std::get_if<model::PodSeen>(&event)) {
        const auto found = bindings_.find(seen->pod.uid);
        if (!seen->pod.node.empty())
            said_bound_.insert({seen->pod.uid, seen->pod.node});
        // Read as unbound, and deleted since: it is not posted again.
        const bool is_over = found != bindings_.end() && found->second.state == Binding::State::may_post;
        if (!seen->pod.node.empty() || (is_over && seen->pod.deleting))
            bindings_.erase(seen->pod.uid);
    }
    std::erase_if(bindings_, [this](const auto& entry) { return view_.pod(entry.first) == nullptr; });
}

void Witness::hear_of(const engine::Written& written) {
    auto found = asked_.find(written.write);
    if (found == asked_.end())
        return;
    const auto asked = std::move(found->second);
    asked_.erase(found);
    const auto& outcome = written.outcome;
    if (const auto* bind = std::get_if<model::BindPod>(&asked.what); bind != nullptr && outcome.kind == Kind::done)
        said_bound_.insert({asked.uid, bind->node});
    if (std::holds_alternative<model::ReadPod>(asked.what) && outcome.kind == Kind::done)
        said_bound_.insert({outcome.uid, outcome.node});
    if (std::holds_alternative<model::BindPod>(asked.what)) {
        on_bind_outcome(asked.uid, written.outcome);
    } else if (std::holds_alternative<model::ReadPod>(asked.what)) {
        on_read_outcome(asked.uid, written.outcome);
    }
}

void Witness::on_bind_outcome(const std::string& uid, const model::Outcome& outcome) {
    auto found = bindings_.find(uid);
    if (found == bindings_.end() || found->second.state != Binding::State::posting)
        return;
    if (outcome.kind == Kind::rejected) {
        bindings_.erase(found);
    } else {
        found->second.state = outcome.kind == Kind::done ? Binding::State::posted : Binding::State::must_read;
    }
}

void Witness::on_read_outcome(const std::string& uid, const model::Outcome& outcome) {
    auto found = bindings_.find(uid);
    if (found == bindings_.end() || found->second.state != Binding::State::reading)
        return;
    auto& binding = found->second;
    --binding.reads;
    if (outcome.kind == Kind::done && outcome.uid == uid && outcome.node == binding.node) {
        binding.state = Binding::State::posted;
    } else if (outcome.kind == Kind::done && outcome.uid == uid && outcome.node.empty()) {
        const auto* pod = view_.pod(uid);
        if (pod == nullptr || pod->deleting || !root_of(view_, *pod)) {
            bindings_.erase(found);  // Of no gang, or not to be bound any more: kube-scheduler gets an answer.
        } else {
            binding.state = Binding::State::may_post;
        }
    } else if (outcome.kind == Kind::done || outcome.kind == Kind::gone) {
        bindings_.erase(found);
    } else if (binding.reads == 0) {
        binding.state = Binding::State::must_read;
    }
}

// ---- Actions.

void Witness::judge_answer(const engine::AnswerBind& answer) {
    auto found = calls_.find(answer.call);
    if (found == calls_.end())
        return;  // The caller is gone, so the answer doesn't matter.
    const auto call = found->second;
    calls_.erase(found);
    if (!answer.error.empty())
        return;
    const auto* pod = view_.pod(call.uid);
    const bool is_said = said_bound_.contains({call.uid, call.node});
    if (!is_said && (pod == nullptr || pod->node != call.node))
        fail("I4", fmt::format("{} is reported as bound to \"{}\", which nobody has said", about(call.uid), call.node));
}

void Witness::judge_write(const engine::StartWrite& write, Time now) {
    const auto uid = uid_in(write.what);
    asked_[write.write] = {write.what, uid};
    check_i9_one_writer(write.what);
    const bool is_quiet = quiet_since_ != Time::max() && now > quiet_since_ + 2 * minute;
    if (!uid.empty())
        check_i12_rate("pod " + uid, is_quiet ? quiet_pod_writes : pod_writes_in_a_minute, now);
    if (const auto record = record_in(write.what); !record.empty())
        check_i12_rate("plan " + record, is_quiet ? quiet_gang_writes : gang_writes_in_a_minute, now);
    if (const auto* bind = std::get_if<model::BindPod>(&write.what)) {
        judge_binding(*bind, now);
    } else if (const auto* evict = std::get_if<model::EvictPod>(&write.what)) {
        judge_eviction(*evict);
    } else if (std::holds_alternative<model::ReadPod>(write.what)) {
        auto found = bindings_.find(uid);
        if (found != bindings_.end() && found->second.state != Binding::State::posted) {
            found->second.state = Binding::State::reading;
            ++found->second.reads;
        }
    }
}

void Witness::judge_eviction(const model::EvictPod& evict) {
    const auto* pod = view_.pod(evict.pod.uid);
    if (pod == nullptr || pod->node.empty())
        return fail("P1", fmt::format("{} is evicted, which runs nowhere", about(evict.pod.uid)));
    if (pod->scheduler_name != scheduler_name && !options_.preemption.foreign)
        return fail("U4", fmt::format("{} is evicted, which another scheduler placed", about(pod->uid)));
    const auto root = root_of(view_, *pod);
    const auto priority = root ? priority_of(view_, *root) : pod->priority;
    bool is_named = false;
    for (const auto& [gang, named] : world_.victims) {
        if (!named.ever.contains(pod->uid))
            continue;
        is_named = true;
        if (priority < priority_of(view_, gang))
            return;
    }
    if (is_named) {
        fail("U3", fmt::format("{} is evicted for a gang that is not more important", about(pod->uid)));
    } else {
        fail("P2", fmt::format("{} is evicted, and no record names it", about(pod->uid)));
    }
}

void Witness::judge_binding(const model::BindPod& bind, Time now) {
    const auto* pod = view_.pod(bind.pod.uid);
    check_i3_bind_matches_plan(bind, pod);
    check_i4_no_lost_bind(bind);
    check_i6_no_late_commit(bind, now);
    if (pod != nullptr && root_of(view_, *pod) && !bindings_.contains(bind.pod.uid)) {
        check_i5_topology_held(*pod, bind.node);
        check_d14_kept_apart(*pod, bind.node);
        check_i1_no_partial_gang(*pod, bind.node);
    } else if (pod == nullptr || !root_of(view_, *pod)) {
        taken_now_.insert(bind.node);
    }
    bindings_[bind.pod.uid] = {bind.node, Binding::State::posting};
}

void Witness::check_i3_bind_matches_plan(const model::BindPod& bind, const model::Pod* pod) {
    const auto called = std::ranges::any_of(
        calls_, [&](const auto& entry) { return entry.second.uid == bind.pod.uid && entry.second.node == bind.node; });
    const auto binding = bindings_.find(bind.pod.uid);
    const bool goes_on = binding != bindings_.end() && binding->second.node == bind.node;
    const bool is_called_now = called_now_.contains({bind.pod.uid, bind.node});
    if (pod == nullptr && is_called_now && !pinned_.contains(bind.pod.uid))
        return;  // Of no gang, and gone in the same moment.
    if (pod == nullptr || pod->full_name() != bind.pod.ns + "/" + bind.pod.name)
        return fail("I3", fmt::format("a binding of {} to \"{}\", which isn't known", about(bind.pod.uid), bind.node));
    const bool is_plain = !root_of(view_, *pod);
    if (is_plain && is_called_now)
        return;  // Posted at once, whatever comes in the same moment.
    if (!pod->node.empty() || pod->deleting || pod->is_finished())
        return fail("I3", fmt::format("{} is bound although it doesn't wait", about(pod->uid)));
    if (is_plain) {
        if (!called && !goes_on)
            fail("I3", fmt::format("{} is bound to \"{}\" unasked", about(pod->uid), bind.node));
        return;
    }
    const auto seat = pinned_.find(pod->uid);
    if (seat == pinned_.end() || seat->second != bind.node) {
        fail("I3", fmt::format("{} is bound to \"{}\", but its seat is {}", about(pod->uid), bind.node,
                               seat == pinned_.end() ? "nowhere" : "on " + seat->second));
    }
}

void Witness::check_i4_no_lost_bind(const model::BindPod& bind) {
    const auto found = bindings_.find(bind.pod.uid);
    if (found == bindings_.end() || found->second.state == Binding::State::may_post)
        return;
    fail("I4", fmt::format("{} is posted again, to \"{}\", before the first outcome was settled by reading",
                           about(bind.pod.uid), bind.node));
}

void Witness::check_i6_no_late_commit(const model::BindPod& bind, Time now) {
    const auto* pod = view_.pod(bind.pod.uid);
    if (bindings_.contains(bind.pod.uid) || (pod != nullptr && !root_of(view_, *pod)))
        return;  // Rolled forward, or a binding that no other member waits for.
    const auto waits = std::ranges::any_of(calls_, [&](const auto& entry) {
        return entry.second.uid == bind.pod.uid && entry.second.arrived + options_.barrier_timeout > now;
    });
    if (!waits)
        fail("I6", fmt::format("{} is bound although nobody waits for it", about(bind.pod.uid)));
}

void Witness::check_i9_one_writer(const model::Write& what) {
    if (leads_ || std::holds_alternative<model::ReadPod>(what))
        return;
    if (const auto* bind = std::get_if<model::BindPod>(&what)) {
        const auto* pod = view_.pod(bind->pod.uid);
        if (pod == nullptr || !root_of(view_, *pod))
            return;  // Of no gang: any process that is called answers.
    } else if (led_in_step_) {
        return;  // Decided before it heard.
    }
    fail("I9",
         fmt::format("it writes ({} {}{}) although another one leads", what.index(), uid_in(what), record_in(what)));
}

void Witness::check_i12_rate(const std::string& key, std::uint64_t limit, Time now) {
    auto& rate = rates_[key];
    if (now >= rate.since + minute)
        rate = {now, 0};
    if (++rate.count > limit)
        fail("I12", fmt::format("more than {} writes in a minute about {}", limit, key));
}

}  // namespace echelon::simulator

#include "engine/plain/plain_binds.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr Time park_time{1000};
constexpr Time read_retry{200};
constexpr std::uint32_t retry_doublings = 5;

}  // namespace

void PlainBinds::begin(const BindCalled& called, const model::Pod& pod) {
    binds_[pod.uid] = {called, true, false, facts_.now + facts_.options.barrier_timeout, never, 0};
    outbox_.await(called.call, {{}, pod.uid});
    ledger_.put(pod.uid, {called.node, pod.pod_class.requests, {}, pod.pod_class.alignment, pod.pod_class.devices});
    schedule(pod.uid);
    outbox_.write({WriteTarget::Purpose::plain_bind, {}, pod.uid}, model::BindPod{called.pod, called.node, ""});
}

bool PlainBinds::has_abandoned_on(const std::string& node) const {
    return std::ranges::any_of(binds_, [&](const auto& row) {
        const auto& bind = row.second;
        return !bind.caller_waits && !bind.waits_for_pod && bind.call.node == node;
    });
}

void PlainBinds::park(const BindCalled& called) {
    binds_[called.pod.uid] = {called, true, true, facts_.now + park_time, never, 0};
    outbox_.await(called.call, {{}, called.pod.uid});
    schedule(called.pod.uid);
}

void PlainBinds::take_over(const model::GroupKey& root, const SeatState& seat) {
    const auto& uid = seat.pod.uid;
    if (seat.binding == SeatState::Binding::posted)
        return end_hold_of_gone(uid);  // Nothing is open.
    auto& bind = binds_[uid];
    bind = {{seat.call, seat.pod, seat.node}, seat.call != 0, false, seat.deadline, never, 0};
    if (seat.call != 0)
        outbox_.await(seat.call, {{}, uid});
    if (!outbox_.detach(root, uid))
        bind.retry_at = facts_.now;
    schedule(uid);
}

void PlainBinds::on_caller_gone(const base::Text& uid) {
    auto& bind = binds_.at(uid);
    bind.caller_waits = false;
    if (bind.waits_for_pod)
        end(uid, BindResult::client_gone, "");
}

void PlainBinds::on_written(const WriteTarget& target, const model::Outcome& outcome) {
    const auto& uid = target.uid;
    const auto found = binds_.find(uid);
    if (found == binds_.end())
        return;
    auto& bind = found->second;
    using Kind = model::Outcome::Kind;
    if (target.purpose == WriteTarget::Purpose::plain_bind) {
        if (outcome.kind == Kind::done)
            return end(uid, BindResult::ok, "");
        if (outcome.kind == Kind::rejected) {
            end_hold(uid);
            return end(uid, BindResult::rejected, "echelon: binding refused: " + outcome.sentence);
        }
    } else if (outcome.kind == Kind::done || outcome.kind == Kind::gone) {
        const bool is_bound_there = outcome.kind == Kind::done && outcome.uid == uid && outcome.node == bind.call.node;
        if (is_bound_there)
            return end(uid, BindResult::ok, "");
        end_hold(uid);
        return end(uid, BindResult::rejected,
                   fmt::format("echelon: pod \"{}/{}\" was not bound: {}", bind.call.pod.ns, bind.call.pod.name,
                               outcome.kind == Kind::gone ? "it is gone" : "the API server has it elsewhere"));
    }
    const bool is_certain = outcome.kind == Kind::conflict || outcome.kind == Kind::gone;
    bind.retry_at =
        is_certain ? facts_.now : facts_.now + read_retry * (1U << std::min(bind.failures++, retry_doublings));
    schedule(uid);
    serve();
}

void PlainBinds::end(const base::Text& uid, BindResult result, const std::string& error) {
    const auto found = binds_.find(uid);
    if (found == binds_.end())
        return;
    if (result == BindResult::ok)
        end_hold_of_gone(uid);
    if (found->second.caller_waits)
        outbox_.answer(found->second.call.call, result, error);
    binds_.erase(found);
}

// If the pod is a member again, the hold may belong to its gang by now.
void PlainBinds::end_hold(const base::Text& uid) {
    const auto* hold = ledger_.find(uid);
    if (hold == nullptr || !hold->owner.name.empty())
        return;
    ledger_.release(uid);
    queue_.note_freed_room();
}

// No event will end the hold of a pod that has gone.
void PlainBinds::end_hold_of_gone(const base::Text& uid) {
    if (facts_.cluster.pod(uid) == nullptr)
        end_hold(uid);
}

void PlainBinds::on_seen(const model::Pod& pod) {
    const auto found = binds_.find(pod.uid);
    if (found == binds_.end())
        return;
    if (found->second.waits_for_pod) {
        seen_.push_back(pod.uid);
    } else {
        on_bound(pod);
    }
}

void PlainBinds::on_bound(const model::Pod& pod) {
    const auto found = binds_.find(pod.uid);
    if (found != binds_.end() && !found->second.waits_for_pod && found->second.call.node == pod.node)
        end(pod.uid, BindResult::ok, "");
}

std::vector<BindCalled> PlainBinds::take_unparked() {
    std::vector<BindCalled> calls;
    for (const auto& uid : std::exchange(seen_, {})) {
        const auto found = binds_.find(uid);
        if (found == binds_.end() || !found->second.waits_for_pod || found->second.deadline <= facts_.now)
            continue;  // Gone or too late: the timer ends it.
        calls.push_back(found->second.call);
        binds_.erase(found);
        outbox_.withdraw(calls.back().call);
    }
    return calls;
}

void PlainBinds::schedule(const base::Text& uid) {
    const auto& bind = binds_.at(uid);
    if (const Time when = std::min(bind.deadline, bind.retry_at); when != never)
        timers_.insert({when, uid});
}

void PlainBinds::serve() {
    while (!timers_.empty() && timers_.begin()->first <= facts_.now) {
        const std::string uid = timers_.begin()->second;
        timers_.erase(timers_.begin());
        const auto found = binds_.find(uid);
        if (found == binds_.end() || !check_deadline(uid, found->second))
            continue;
        auto& bind = found->second;
        if (bind.retry_at <= facts_.now) {
            bind.retry_at = never;
            outbox_.write({WriteTarget::Purpose::plain_read, {}, uid}, model::ReadPod{bind.call.pod});
        }
        schedule(uid);
    }
}

bool PlainBinds::check_deadline(const base::Text& uid, Bind& bind) {
    if (bind.deadline > facts_.now)
        return true;
    bind.deadline = never;
    const std::string error = fmt::format("echelon: pod \"{}/{}\" {}", bind.call.pod.ns, bind.call.pod.name,
                                          bind.waits_for_pod ? "isn't known" : "could not be bound in time");
    if (bind.waits_for_pod) {
        end(uid, BindResult::rejected, error);
        return false;
    }
    // The outcome of the binding is unknown: the hold stays until the API server has answered.
    if (std::exchange(bind.caller_waits, false))
        outbox_.answer(bind.call.call, BindResult::deadline, error);
    return true;
}

}  // namespace echelon::engine

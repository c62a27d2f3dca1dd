// Bind calls of pods outside every gang: checked, posted, answered. They wait for nothing but the API server (I13).

#include "engine/state.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr Time read_retry{200};
constexpr std::uint32_t retry_doublings = 5;

}  // namespace

void Engine::State::on_plain_call(const BindCalled& called, const model::Pod& pod) {
    const auto& uid = pod.uid;
    if (!asked.contains(uid)) {
        return answer(called.call, BindResult::rejected,
                      fmt::format("echelon: filter was never asked about pod \"{}\"", pod.full_name()));
    }
    if (plain.contains(uid)) {
        return answer(called.call, BindResult::rejected,
                      fmt::format("echelon: pod \"{}\" is being bound already", pod.full_name()));
    }
    // A hold gives way: the gang that had it plans again. Committed room doesn't (I2).
    const auto rivals = ledger.owners_on(called.node);
    if (uses_committed_capacity(rivals, called.node, pod)) {
        return answer(called.call, BindResult::rejected,
                      fmt::format("echelon: the room on node \"{}\" is promised to a gang", called.node));
    }
    plain[uid] = {called, true, false, now + options.barrier_timeout, never, 0};
    outbox.await(called.call, {{}, uid});
    ledger.put(uid, {called.node, pod.shape.requests, {}});
    for (const auto& root : rivals) {
        if (auto* gang = find_gang(root))
            mark(*gang, false);
    }
    schedule_plain(uid);
    write({WriteTarget::Purpose::plain_bind, {}, uid}, model::BindPod{called.pod, called.node, ""});
}

bool Engine::State::uses_committed_capacity(const std::set<model::GroupKey>& rivals, const std::string& node,
                                            const model::Pod& pod) {
    const bool is_committed = std::ranges::any_of(rivals, [this](const model::GroupKey& root) {
        const auto* gang = find_gang(root);
        return gang != nullptr && gang->commit != GangState::Commit::none;
    });
    return is_committed && !has_room(node, pod.shape.requests);
}

void Engine::State::on_plain_written(const std::string& uid, WriteTarget::Purpose purpose,
                                     const model::Outcome& outcome) {
    auto found = plain.find(uid);
    if (found == plain.end())
        return;
    auto& bind = found->second;
    using Kind = model::Outcome::Kind;
    if (purpose == WriteTarget::Purpose::plain_bind) {
        if (outcome.kind == Kind::done)
            return end_plain(uid, BindResult::ok, "");
        if (outcome.kind == Kind::rejected) {
            release_plain(uid);
            return end_plain(uid, BindResult::rejected, "echelon: binding refused: " + outcome.sentence);
        }
    } else if (outcome.kind == Kind::done || outcome.kind == Kind::gone) {
        const bool is_bound_there = outcome.kind == Kind::done && outcome.uid == uid && outcome.node == bind.call.node;
        if (is_bound_there)
            return end_plain(uid, BindResult::ok, "");
        release_plain(uid);
        return end_plain(uid, BindResult::rejected,
                         fmt::format("echelon: pod \"{}/{}\" was not bound: {}", bind.call.pod.ns, bind.call.pod.name,
                                     outcome.kind == Kind::gone ? "it is gone" : "the API server has it elsewhere"));
    }
    const bool is_certain = outcome.kind == Kind::conflict || outcome.kind == Kind::gone;
    bind.retry_at = is_certain ? now : now + read_retry * (1U << std::min(bind.failures++, retry_doublings));
    schedule_plain(uid);
    run_plain_timers();
}

void Engine::State::end_plain(const std::string& uid, BindResult result, const std::string& error) {
    auto found = plain.find(uid);
    if (found == plain.end())
        return;
    if (found->second.caller_waits)
        answer(found->second.call.call, result, error);
    plain.erase(found);
}

// The watch is faster than the answer to the write, or the answer is lost.
void Engine::State::end_plain_if_bound(const model::Pod& pod) {
    const auto found = plain.find(pod.uid);
    if (found != plain.end() && !found->second.waits_for_pod && found->second.call.node == pod.node)
        end_plain(pod.uid, BindResult::ok, "");
}

// Another owner may have taken room for it meanwhile: a gang that it belongs to again.
void Engine::State::release_plain(const std::string& uid) {
    if (const auto* claim = ledger.find(uid); claim != nullptr && claim->owner.name.empty())
        ledger.release(uid);
}

// Their pods have become known in this step; what else it brought has been taken in by now.
void Engine::State::retry_parked_binds() {
    for (const auto& uid : std::exchange(parked_pods_now_known, {})) {
        const auto found = plain.find(uid);
        if (found == plain.end() || !found->second.waits_for_pod || found->second.deadline <= now)
            continue;  // Gone, or too late: its time is over, and the clock ends it.
        const auto call = found->second.call;
        plain.erase(found);
        outbox.withdraw(call.call);
        on(call);
    }
}

void Engine::State::schedule_plain(const std::string& uid) {
    const auto& bind = plain.at(uid);
    if (const Time when = std::min(bind.deadline, bind.retry_at); when != never)
        plain_timers.insert({when, uid});
}

void Engine::State::run_plain_timers() {
    while (!plain_timers.empty() && plain_timers.begin()->first <= now) {
        const std::string uid = plain_timers.begin()->second;
        plain_timers.erase(plain_timers.begin());
        auto found = plain.find(uid);
        if (found == plain.end())
            continue;
        auto& bind = found->second;
        if (bind.deadline <= now) {
            bind.deadline = never;
            const std::string error = fmt::format("echelon: pod \"{}/{}\" {}", bind.call.pod.ns, bind.call.pod.name,
                                                  bind.waits_for_pod ? "isn't known" : "could not be bound in time");
            if (bind.waits_for_pod) {
                end_plain(uid, BindResult::rejected, error);
                continue;
            }
            // Its outcome is still unknown: the claim stays until the API server has told.
            if (std::exchange(bind.caller_waits, false))
                answer(bind.call.call, BindResult::deadline, error);
        }
        if (bind.retry_at <= now) {
            bind.retry_at = never;
            write({WriteTarget::Purpose::plain_read, {}, uid}, model::ReadPod{bind.call.pod});
        }
        schedule_plain(uid);
    }
}

}  // namespace echelon::engine

// A bind call comes: which calls go to the barrier of a gang or are posted at once, and why are the others refused?

#include "engine/state.hpp"
#include "engine/texts.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echelon::engine {

void Engine::State::on(const BindCalled& called) {
    const auto fail = [&](std::string why) {
        outbox_.answer(called.call, BindResult::rejected, "echelon: " + std::move(why));
    };
    if (facts_.is_draining)
        return outbox_.answer(called.call, BindResult::error, "echelon: shutting down");
    if (!facts_.unsynced.empty()) {
        return outbox_.answer(called.call, BindResult::error,
                              fmt::format("echelon: cache not synced: {}", fmt::join(facts_.unsynced, ", ")));
    }
    const auto* pod = facts_.cluster.pod(called.pod.uid);
    const std::string name = called.pod.ns + "/" + called.pod.name;
    if (pod == nullptr) {
        if (!filtered_.was_asked(called.pod.uid))
            return fail(fmt::format("pod \"{}\" with this UID isn't known", name));
        if (plain_.contains(called.pod.uid))
            return fail(fmt::format("pod \"{}\" is being bound already", name));
        return plain_.park(called);
    }
    if (pod->ns != called.pod.ns || pod->name != called.pod.name)
        return fail(fmt::format("UID belongs to pod \"{}\", not \"{}\"", pod->full_name(), name));
    if (pod->deleting)
        return fail(fmt::format("pod \"{}\" is being deleted", name));
    if (pod->node == called.node)
        return outbox_.answer(called.call, BindResult::ok, "");
    if (!pod->node.empty())
        return fail(fmt::format("pod \"{}\" is bound to node \"{}\" already", name, pod->node));
    if (!facts_.cluster.has_node(called.node))
        return fail(fmt::format("node \"{}\" isn't known", called.node));
    if (const auto root = facts_.cluster.root_of(*pod)) {
        on_member_call(gang_of(*root), *pod, called);
    } else {
        on_plain_call(called, *pod);
    }
}

void Engine::State::on_member_call(GangState& gang, const model::Pod& pod, const BindCalled& called) {
    const bool may_plan = gang.due().not_before <= facts_.now || !gang.roster.seats().empty();
    if (gang.is_dirty() && may_plan && !gang.due().is_searching)
        planner_.plan_now(gang);  // But a gang whose barrier failed too often waits its time (B8).
    wakeups_.touch(gang.root());
    const auto fail = [&](std::string_view why) {
        outbox_.answer(called.call, BindResult::rejected, texts::about(gang.root().name, why));
    };
    if (!facts_.leads)
        return fail("this echelon doesn't lead");
    if (plain_.contains(pod.uid))
        return fail("an earlier binding of the pod isn't settled yet");
    if (gang.lifecycle.is_clearing())
        return fail(texts::clearing);
    barrier_.on_call(gang, pod, called);
}

void Engine::State::on_plain_call(const BindCalled& called, const model::Pod& pod) {
    const auto fail = [&](std::string why) {
        outbox_.answer(called.call, BindResult::rejected, "echelon: " + std::move(why));
    };
    if (!filtered_.was_asked(pod.uid))
        return fail(fmt::format("filter was never asked about pod \"{}\"", pod.full_name()));
    if (plain_.contains(pod.uid))
        return fail(fmt::format("pod \"{}\" is being bound already", pod.full_name()));
    // Its binding has been carried out, and the watch lags.
    if (const auto* hold = ledger_.find(pod.uid); hold != nullptr && hold->owner.name.empty()) {
        return hold->node == called.node
                   ? outbox_.answer(called.call, BindResult::ok, "")
                   : fail(fmt::format("pod \"{}\" is bound to node \"{}\" already", pod.full_name(), hold->node));
    }
    // A profile was renamed while echelon was down in the middle of a commit: the rest of the gang must not go
    // elsewhere (I6).
    const auto* commit =
        facts_.options.profiles.contains(pod.scheduler_name) ? nullptr : records_.commit_elsewhere(pod, called.node);
    if (commit != nullptr) {
        return fail(fmt::format("gang {} is committed to other nodes, and no profile lists schedulerName \"{}\"",
                                commit->root.name, pod.scheduler_name));
    }
    if (is_kept_from(pod, called.node))
        return outbox_.answer(called.call, BindResult::rejected, std::string(texts::promised_room));
    // A hold gives way, and its gang is planned again. The room of a committed gang doesn't (I2).
    const auto owners = ledger_.owners_on(called.node);
    if (uses_committed_capacity(owners, called.node, pod))
        return fail(fmt::format("the room on node \"{}\" is promised to a gang", called.node));
    // kube-scheduler has forgotten a pod whose call has ended, and takes its room for free.
    if (plain_.has_abandoned_on(called.node) && !room_.fits(called.node, pod.pod_class.requests))
        return fail(fmt::format("an earlier binding to node \"{}\" isn't settled yet", called.node));
    plain_.begin(called, pod);
    for (const auto& root : owners) {
        if (auto* gang = gangs_.find(root))
            queue_.mark(*gang);
    }
}

// The model keeps no selectors of plain pods, so filter has recorded whether the pod is exempt.
bool Engine::State::is_kept_from(const model::Pod& pod, const std::string& node) {
    const auto profile = facts_.options.profiles.find(pod.scheduler_name);
    if (profile == facts_.options.profiles.end())
        return false;
    const model::PlainPod plain{.requests = pod.pod_class.requests,
                                .priority = pod.priority,
                                .active_deadline = pod.active_deadline,
                                .is_exempt = filtered_.is_exempt(pod.uid)};
    return promised_.keep_out(node, plain, profile->second.protect);
}

bool Engine::State::uses_committed_capacity(const std::set<model::GroupKey>& owners, const std::string& node,
                                            const model::Pod& pod) const {
    const bool is_committed = std::ranges::any_of(owners, [this](const model::GroupKey& root) {
        const auto* gang = gangs_.find(root);
        return gang != nullptr && gang->lifecycle.is_committing();
    });
    return is_committed && !room_.fits(node, pod.pod_class.requests);
}

}  // namespace echelon::engine

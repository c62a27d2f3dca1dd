// Copies what a verdict is based on out of the engine's state; changes nothing.

#include "engine/publish/explain_snapshot.hpp"

#include "engine/state.hpp"
#include "model/gang/gang_facts.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace echelon::engine {

namespace {

std::string name_of(const model::Cluster& cluster, const std::string& uid) {
    const auto* pod = cluster.pod(uid);
    return pod == nullptr ? uid : pod->full_name();
}

// Members with a seat count as bound there, placeholders too.
void seat_members(const GangState& gang, ExplainSnapshot& result) {
    for (auto& member : result.gang.members) {
        if (member.state != model::Member::State::waiting)
            continue;
        const auto* seat = gang.roster.seat(member.uid);
        const auto& placeholders = gang.hold().placeholders;
        const auto placeholder = placeholders.find(member.uid);
        std::optional<model::NodeId> node;
        if (seat != nullptr) {
            node = result.snapshot.node(seat->node);
        } else if (placeholder != placeholders.end()) {
            node = result.snapshot.node(placeholder->second.node);
        }
        if (node) {
            member.state = model::Member::State::bound;
            member.node = *node;
        }
    }
}

// What kube-scheduler keeps for pods that it has made room for.
void name_nominated(const model::Cluster& cluster, const TakenRoom& taken, ExplainSnapshot& result) {
    std::map<std::string_view, const model::Pod*> first;
    for (const auto& here : cluster.nominations())
        first.emplace(here.node, here.pods.front());
    for (const auto& each : taken.amounts()) {
        const auto found = first.find(result.snapshot.node_names[each.node]);
        if (found == first.end())
            continue;
        result.context.occupants.push_back({.kind = solver::Occupant::Kind::running,
                                            .pod = found->second->full_name(),
                                            .gang = {},
                                            .node = each.node,
                                            .requests = {{result.snapshot.resources[each.resource], each.amount}},
                                            .priority = found->second->priority});
    }
}

// The free capacity of a reserved domain is out of reach, as if a pod used it.
void take_reservation(ExplainSnapshot& result, const model::GroupKey& owner, const DomainReservation& reservation,
                      std::int64_t priority) {
    auto& snapshot = result.snapshot;
    for (const auto node : nodes_of(snapshot, reservation.domain)) {
        solver::Occupant kept{.kind = solver::Occupant::Kind::claimed,
                              .pod = snapshot.node_names[node],
                              .gang = owner.name,
                              .node = node,
                              .requests = {},
                              .priority = priority};
        for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
            auto& room = snapshot.room[r][node];
            if (room > 0)
                kept.requests.set(snapshot.resources[r], std::exchange(room, 0));
        }
        if (!kept.requests.empty())
            result.context.occupants.push_back(std::move(kept));
    }
}

}  // namespace

solver::ClusterContext context_of(const model::Cluster& cluster, const model::Snapshot& snapshot) {
    solver::ClusterContext around;
    around.nodes.reserve(snapshot.node_count());
    for (const auto& name : snapshot.node_names) {
        around.nodes.push_back(cluster.node(name).value_or(model::Node{}));
    }
    for (const auto* pod : cluster.occupants()) {
        const auto node = snapshot.node(pod->node);
        if (!node)
            continue;
        const auto root = cluster.root_of(*pod);
        around.occupants.push_back({.kind = solver::Occupant::Kind::running,
                                    .pod = pod->full_name(),
                                    .gang = root ? root->name : std::string(),
                                    .node = *node,
                                    .requests = pod->shape.requests,
                                    .priority = pod->priority});
    }
    return around;
}

std::optional<ExplainSnapshot> Engine::State::explain_snapshot(const model::GroupKey& root) const {
    const auto* gang = gangs_.find(root);
    if (gang == nullptr)
        return std::nullopt;
    const auto& cluster = facts_.cluster;
    ExplainSnapshot result;
    result.snapshot = room_.snapshot();
    result.gang = gang_planner_.build(*gang, result.snapshot);
    result.context = context_of(cluster, result.snapshot);
    auto nominated = room_.take_nominated(result.snapshot, result.gang.priority);
    name_nominated(cluster, nominated, result);
    nominated.keep();
    seat_members(*gang, result);
    PossibleVictims victims;
    for (const auto& [uid, hold] : ledger_.holds()) {
        const auto node = result.snapshot.node(hold.node);
        if (!node || hold.owner == root)
            continue;
        const auto* pod = cluster.pod(uid);
        const auto* other = gangs_.find(hold.owner);
        if (other != nullptr && YieldingExtras::yields(*other, uid, result.gang.priority))
            victims.yielding.push_back(result.context.occupants.size());
        result.context.occupants.push_back({.kind = solver::Occupant::Kind::held,
                                            .pod = name_of(cluster, uid),
                                            .gang = hold.owner.name,
                                            .node = *node,
                                            .requests = hold.requests,
                                            .priority = pod == nullptr ? 0 : pod->priority});
    }
    for (const auto& [other, waiting] : gangs_.all()) {
        const auto* reservation = other == root ? nullptr : reservations_.of(other);
        if (reservation != nullptr && !starvation_.may_pass(result.gang, *reservation))
            take_reservation(result, other, *reservation, waiting.tree().priority);
    }
    if (gang->plan().refusal)
        result.refused = gang->plan().refusal->reason;
    result.record = records_.record_of(*gang);
    const bool has_begun = std::ranges::any_of(
        result.gang.members, [](const model::Member& member) { return member.state == model::Member::State::bound; });
    if (result.refused == model::Reason::no_room && !has_begun && model::preempts(cluster.facts(root))) {
        victims.running = preemptor_.running(result.snapshot);
        victims.most_pods = facts_.options.preemption.most_victims;
        result.victims = std::move(victims);
    }
    return result;
}

}  // namespace echelon::engine

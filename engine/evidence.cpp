// What a verdict is founded on, copied out of the engine's state; nothing here changes it.

#include "engine/evidence.hpp"

#include "engine/state.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::engine {

namespace {

std::string name_of(const model::Cluster& cluster, const std::string& uid) {
    const auto* pod = cluster.pod(uid);
    return pod == nullptr ? uid : pod->full_name();
}

// Members with a seat count as bound there, placeholders too.
void seat_members(const GangState& gang, ExplainSnapshot& evidence) {
    for (auto& member : evidence.gang.members) {
        if (member.state != model::Member::State::waiting)
            continue;
        const auto seat = gang.seats.find(member.uid);
        const auto placeholder = gang.placeholders.find(member.uid);
        std::optional<model::NodeId> node;
        if (seat != gang.seats.end()) {
            node = evidence.snapshot.node(seat->second.node);
        } else if (placeholder != gang.placeholders.end()) {
            node = evidence.snapshot.node(placeholder->second.node);
        }
        if (node) {
            member.state = model::Member::State::bound;
            member.node = *node;
        }
    }
}

// What kube-scheduler keeps for pods that it has made room for.
void name_nominated(const model::Cluster& cluster, const std::vector<DomainReservations::Taken>& taken,
                    ExplainSnapshot& evidence) {
    std::map<std::string_view, const model::Pod*> first;
    for (const auto& here : cluster.nominations())
        first.emplace(here.node, here.pods.front());
    for (const auto& each : taken) {
        const auto found = first.find(evidence.snapshot.node_names[each.node]);
        if (found == first.end())
            continue;
        evidence.surroundings.occupants.push_back(
            {.kind = solver::Occupant::Kind::running,
             .pod = found->second->full_name(),
             .gang = {},
             .node = each.node,
             .requests = {{evidence.snapshot.resources[each.resource], each.amount}},
             .priority = found->second->priority});
    }
}

// The free room of a claim is out of reach, as if somebody sat on it.
void take_claim(ExplainSnapshot& evidence, const model::GroupKey& owner, const DomainReservation& claim,
                std::int64_t priority) {
    auto& snapshot = evidence.snapshot;
    for (const auto node : nodes_of(snapshot, claim.site)) {
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
            evidence.surroundings.occupants.push_back(std::move(kept));
    }
}

}  // namespace

solver::ClusterContext surroundings_of(const model::Cluster& cluster, const model::Snapshot& snapshot) {
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

std::optional<ExplainSnapshot> Engine::evidence(const model::GroupKey& root) const {
    const auto found = state_->gangs.find(root);
    if (found == state_->gangs.end())
        return std::nullopt;
    const auto& gang = found->second;
    ExplainSnapshot evidence;
    evidence.snapshot = state_->planning_snapshot();
    evidence.gang = state_->build(gang, evidence.snapshot);
    evidence.surroundings = surroundings_of(state_->cluster, evidence.snapshot);
    name_nominated(state_->cluster, state_->take_nominated(evidence.snapshot, evidence.gang.priority), evidence);
    seat_members(gang, evidence);
    for (const auto& [uid, hold] : state_->ledger.holds()) {
        const auto node = evidence.snapshot.node(hold.node);
        if (!node || hold.owner == root)
            continue;
        const auto* pod = state_->cluster.pod(uid);
        evidence.surroundings.occupants.push_back({.kind = solver::Occupant::Kind::held,
                                                   .pod = name_of(state_->cluster, uid),
                                                   .gang = hold.owner.name,
                                                   .node = *node,
                                                   .requests = hold.requests,
                                                   .priority = pod == nullptr ? 0 : pod->priority});
    }
    for (const auto& [other, waiting] : state_->gangs) {
        const auto* claim = other == root ? nullptr : state_->claims.of(other);
        if (claim != nullptr && !state_->ends_by(evidence.gang, claim->until))
            take_claim(evidence, other, *claim, waiting.priority);
    }
    if (gang.refusal)
        evidence.refused = gang.refusal->reason;
    evidence.record = state_->record_of(gang);
    return evidence;
}

}  // namespace echelon::engine

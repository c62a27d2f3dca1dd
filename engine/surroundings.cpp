#include "engine/surroundings.hpp"

#include <map>
#include <string_view>
#include <utility>

namespace echelon::engine {

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
                                    .gang = root ? root->name.str() : std::string(),
                                    .node = *node,
                                    .requests = pod->pod_class.requests,
                                    .priority = pod->priority});
    }
    return around;
}

void append_nominated(solver::ClusterContext& around, const model::Cluster& cluster, const model::Snapshot& snapshot,
                      const TakenRoom& taken) {
    std::map<std::string_view, const model::Pod*> first;
    const auto nominations = cluster.nominations();
    for (const auto& here : nominations)
        first.emplace(here.node, here.pods.front());
    for (const auto& each : taken.amounts()) {
        const auto found = first.find(snapshot.node_names[each.node]);
        if (found == first.end())
            continue;
        around.occupants.push_back({.kind = solver::Occupant::Kind::running,
                                    .pod = found->second->full_name(),
                                    .gang = {},
                                    .node = each.node,
                                    .requests = {{snapshot.resources[each.resource], each.amount}},
                                    .priority = found->second->priority});
    }
}

void append_hold(solver::ClusterContext& around, const model::Cluster& cluster, const base::Text& uid, const Hold& hold,
                 model::NodeId node) {
    const auto* pod = cluster.pod(uid);
    around.occupants.push_back({.kind = solver::Occupant::Kind::held,
                                .pod = pod == nullptr ? uid.str() : pod->full_name(),
                                .gang = hold.owner.name,
                                .node = node,
                                .requests = hold.requests,
                                .priority = pod == nullptr ? 0 : pod->priority});
}

void take_reservation(solver::ClusterContext& around, model::Snapshot& snapshot, const model::GroupKey& owner,
                      const DomainReservation& reservation) {
    for (const auto node : reserved_nodes(snapshot, reservation)) {
        solver::Occupant kept{.kind = solver::Occupant::Kind::claimed,
                              .pod = snapshot.node_names[node],
                              .gang = owner.name,
                              .node = node,
                              .requests = {},
                              .priority = reservation.priority};
        for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
            auto& room = snapshot.room[r][node];
            if (room > 0)
                kept.requests.set(snapshot.resources[r], std::exchange(room, 0));
        }
        if (!kept.requests.empty())
            around.occupants.push_back(std::move(kept));
    }
}

}  // namespace echelon::engine

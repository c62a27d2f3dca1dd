// Which NUMA zones does a node report, and which pods of it do they not show yet? (NU1, NU2)

#include "model/cluster/cluster_state.hpp"

#include <utility>

namespace echelon::model {

void Cluster::State::write_zones(const std::string& node) {
    const auto zoning = zonings.find(node);
    if (zoning == zonings.end() || !zoning->second.zones.bind())
        return node_index.set_zones(node, std::nullopt);
    ZonedNode zoned{.zones = zoning->second.zones, .unreported = {}};
    for (const auto& [uid, parts] : zoning->second.bound_since)
        zoned.add(parts, 1);
    node_index.set_zones(node, std::move(zoned));
}

// Equal zones are no news: had the kubelet aligned a pod since, they would differ.
void Cluster::State::on(const NodeZonesSeen& event, Change& change) {
    const auto& node = event.zones.node;
    const auto known = zonings.find(node);
    if (known != zonings.end() && known->second.zones == event.zones) {
        if (event.bound_since.empty())
            return;
        known->second.bound_since.insert(event.bound_since.begin(), event.bound_since.end());
    } else {
        zonings.insert_or_assign(node, Zoning{.zones = event.zones, .bound_since = event.bound_since});
    }
    const bool had_zones = node_index.has_zones();
    write_zones(node);
    change.topology = had_zones != node_index.has_zones();
    change.nodes.insert(node);
    change.may_free_room = true;
}

void Cluster::State::on(const NodeZonesGone& event, Change& change) {
    if (zonings.erase(event.node) == 0)
        return;
    const bool had_zones = node_index.has_zones();
    write_zones(event.node);
    change.topology = had_zones != node_index.has_zones();
    change.nodes.insert(event.node);
    change.may_free_room = true;
}

void Cluster::State::move_usage(const Pod& before, const Pod& after) {
    if (before.occupies())
        node_index.remove_usage(before.node, before.pod_class.requests);
    if (after.occupies())
        node_index.add_usage(after.node, after.pod_class.requests);
    if (zonings.empty() || before.occupies() == after.occupies())
        return;
    if (after.occupies()) {
        note_binding(after);
    } else {
        forget_binding(before);
    }
}

void Cluster::State::note_binding(const Pod& pod) {
    const auto zoning = zonings.find(pod.node);
    if (zoning == zonings.end() || !zoning->second.zones.bind())
        return;
    auto parts = zone_parts(pod.pod_class.requests, *pod.pod_class.alignment, zoning->second.zones);
    if (parts.empty())
        return;
    zoning->second.bound_since.insert_or_assign(pod.uid, std::move(parts));
    write_zones(pod.node);
}

void Cluster::State::forget_binding(const Pod& pod) {
    const auto zoning = zonings.find(pod.node);
    if (zoning != zonings.end() && zoning->second.bound_since.erase(pod.uid) > 0)
        write_zones(pod.node);
}

void Cluster::State::append_zones(std::vector<Event>& events) const {
    for (const auto& [node, zoning] : zonings)
        events.emplace_back(NodeZonesSeen{.zones = zoning.zones, .bound_since = zoning.bound_since});
}

}  // namespace echelon::model

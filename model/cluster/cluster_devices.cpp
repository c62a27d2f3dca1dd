// How devices and claims change nodes and pods (DR1 to DR7).

#include "model/cluster/cluster_state.hpp"
#include "model/devices/gpu_share.hpp"

#include <algorithm>
#include <utility>

namespace echelon::model {

Amounts Cluster::State::offer(const std::string& node, const Amounts& plugin) {
    auto now = devices.offer_of(node, plugin);
    const auto known = offered.find(node);
    if (known != offered.end() && known->second == now)
        return std::move(now.all);
    auto all = now.all;
    store_offer(node, std::move(now));
    return all;
}

void Cluster::State::store_offer(const std::string& node, DeviceIndex::Offer now) {
    const auto known = offered.try_emplace(node).first;
    if (known->second.taken != now.taken) {
        node_index.add_usage(node, now.taken);
        node_index.remove_usage(node, known->second.taken);
    }
    known->second = std::move(now);
    if (known->second.all.empty())
        offered.erase(known);
}

// Undoes `offer` for a node that is gone.
void Cluster::State::withdraw(const std::string& node) {
    if (const auto known = offered.extract(node); !known.empty())
        node_index.remove_usage(node, known.mapped().taken);
}

// What amounts don't say of the node's devices.
void Cluster::State::write_devices(const std::string& node) {
    auto to_match = devices.devices_to_match(node);
    if (to_match) {
        matched_nodes.insert(node);
        node_index.set_devices(node, MatchedNode{.devices = std::move(*to_match)});
    } else if (matched_nodes.erase(node) > 0) {
        node_index.set_devices(node, std::nullopt);
    }
}

void Cluster::State::apply_devices(const DeviceIndex::Delta& delta, Change& change) {
    for (const auto& node : delta.nodes) {
        write_devices(node);
        if (node_index.knows(node))
            renew_offer(node, change);  // Else `offer` runs when the node comes.
    }
    if (delta.changes_plugin_nodes)
        renew_plugin_nodes(change);
    for (const auto& uid : delta.pods) {
        if (late_pod_classes.is_stand_in(uid)) {
            for (const auto& group : late_pod_classes.resolve(uid))
                affected.add_around(group, change.gangs);
            continue;
        }
        if (!devices.keeps(uid))
            continue;  // It has gone since.
        const auto resolved = devices.resolve(uid);
        touch(resolved.pod, change);
        on_resolved(resolved, change);
    }
}

// What a pod asks for may depend on what members that don't exist yet ask for, and the other way round.
void Cluster::State::apply_late_devices(Change& change) {
    while (late_pod_classes.has_delta())
        apply_devices(late_pod_classes.take_delta(), change);
}

void Cluster::State::renew_plugin_nodes(Change& change) {
    for (const auto name : node_index.names()) {
        const auto offers = [&](const auto& extended) { return node_index.allocatable_of(name, extended.second) > 0; };
        if (std::ranges::any_of(devices.extended_resources(), offers))
            renew_offer(std::string(name), change);
    }
}

void Cluster::State::renew_roots(Change& change) {
    std::vector<base::Text> uids;
    if (change.moved_pods) {
        uids = *change.moved_pods;
    } else {
        for (const auto& row : pods)
            uids.push_back(row->pod.uid);
    }
    for (const auto& uid : uids) {
        const auto* row = devices.keeps(uid) ? pods.find(uid) : nullptr;
        if (row != nullptr && row->pod.membership)
            apply_devices(devices.set_root(uid, forest.root_of(row->pod.membership->leaf)), change);
    }
}

void Cluster::State::resolve_pods_asking(const std::string& resource, Change& change) {
    std::vector<PodSeen> asking;
    for (const auto& row : pods) {
        if (row->pod.pod_class.requests.of(resource) > 0 && row->pod.node.empty() && !devices.keeps(row->pod.uid))
            asking.push_back(as_seen(*row));
    }
    for (const auto& event : asking)
        see(event, change);
}

// Requires: the node is known.
void Cluster::State::renew_offer(const std::string& node, Change& change) {
    static const DeviceIndex::Offer nothing;
    const auto known = offered.find(node);
    const auto& before = known == offered.end() ? nothing : known->second;
    Amounts plugin;
    for (const auto& [kind, resource] : devices.extended_resources())
        plugin.set(resource, node_index.allocatable_of(node, resource) - before.all.of(resource));
    auto now = devices.offer_of(node, plugin);
    if (now.all != before.all)
        apply_node_delta(node, node_index.exchange_amounts(node, before.all, now.all), change);
    if (now.taken != before.taken) {
        change.nodes.insert(node);
        // A device that a claim releases frees room, like a pod that has left.
        const auto is_less = [&](const auto& taken) { return now.taken.of(taken.first) < taken.second; };
        change.may_free_room = change.may_free_room || std::ranges::any_of(before.taken.entries(), is_less);
    }
    if (now != before)
        store_offer(node, std::move(now));
}

// What is left to kube-scheduler for a pod's claims (DR5), and to other schedulers for shares of GPUs (DR8).
std::set<std::string> Cluster::State::device_warnings(const Pod& pod) const {
    std::set<std::string> warnings;
    const auto* remarks = devices.keeps_any() ? devices.remarks(pod.uid) : nullptr;
    if (remarks != nullptr)
        warnings.insert(remarks->warnings.begin(), remarks->warnings.end());
    for (const auto& share : node_index.uncounted_shares()) {
        if (pod.pod_class.requests.of(share) > 0)
            warnings.insert(share + " is not counted: no node offers it, and parts of a GPU are shared out by " +
                            std::string(shared_out_by(share)));
    }
    return warnings;
}

std::set<std::string> Cluster::State::device_warnings(const GangFacts& facts) const {
    std::set<std::string> warnings;
    if (!devices.keeps_any() && node_index.uncounted_shares().empty())
        return warnings;
    for (const auto& group : facts.groups) {
        for (const auto& row : group.pods)
            warnings.merge(device_warnings(*row.pod));
        if (may_lack_sharer(group)) {
            warnings.insert(
                "pods that share a claim are left to kube-scheduler in part: the one that asks for its "
                "devices may get no seat");
        }
    }
    return warnings;
}

// Of pods that share a claim one asks for the devices, and a group with extras may get its minimum without that one.
bool Cluster::State::may_lack_sharer(const GroupFacts& group) const {
    const auto relies_on_sharer = [&](const PodFacts& row) {
        const auto* remarks = devices.remarks(row.pod->uid);
        return row.status == MemberStatus::waiting && remarks != nullptr && remarks->relies_on_sharer;
    };
    return group.is_leaf() && group.existing() > group.needed() && std::ranges::any_of(group.pods, relies_on_sharer);
}

void Cluster::State::on(const DeviceSliceSeen& event, Change& change) {
    apply_devices(devices.see(event.slice), change);
}

void Cluster::State::on(const DeviceSliceGone& event, Change& change) {
    apply_devices(devices.forget_slice(event.name), change);
}

void Cluster::State::on(const DeviceTaintRuleSeen& event, Change& change) {
    apply_devices(devices.see(event.rule), change);
}

void Cluster::State::on(const DeviceTaintRuleGone& event, Change& change) {
    apply_devices(devices.forget_rule(event.name), change);
}

void Cluster::State::on(const DeviceClassSeen& event, Change& change) {
    apply_devices(devices.see(event.device_class), change);
    if (event.device_class.extended_resource.empty())
        return;
    resolve_pods_asking(event.device_class.extended_resource, change);
    late_pod_classes.note_class_of(event.device_class.extended_resource);
}

void Cluster::State::on(const DeviceClassGone& event, Change& change) {
    apply_devices(devices.forget_class(event.name), change);
}

void Cluster::State::on(const DeviceClaimSeen& event, Change& change) {
    apply_devices(devices.see(event.claim), change);
}

void Cluster::State::on(const DeviceClaimGone& event, Change& change) {
    apply_devices(devices.forget_claim(event.ns, event.name), change);
}

void Cluster::State::on(const DeviceTemplateSeen& event, Change& change) {
    apply_devices(devices.see(event.claim_template), change);
}

void Cluster::State::on(const DeviceTemplateGone& event, Change& change) {
    apply_devices(devices.forget_template(event.ns, event.name), change);
}

}  // namespace echelon::model

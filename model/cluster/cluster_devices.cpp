// How devices and claims change nodes and pods (DR1 to DR7).

#include "model/cluster/cluster_state.hpp"
#include "model/devices/gpu_share.hpp"

#include <utility>

namespace echelon::model {

Amounts Cluster::State::offer(const std::string& node, const Amounts& plugin) {
    auto now = devices.offer_of(node, plugin);
    const auto known = offered.find(node);
    if (known != offered.end() && known->second == now)
        return std::move(now.all);
    const auto before = known == offered.end() ? Amounts{} : known->second.taken;
    if (before != now.taken) {
        node_index.add_usage(node, now.taken);
        node_index.remove_usage(node, before);
    }
    auto all = now.all;
    if (now.all.empty()) {
        offered.erase(node);
    } else {
        offered.insert_or_assign(node, std::move(now));
    }
    return all;
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
        if (!node_index.knows(node))
            continue;  // The node is unknown; `offer` runs when it comes.
        const auto known = offered.find(node);
        const auto before = known == offered.end() ? DeviceIndex::Offer{} : known->second;
        const auto allocatable = node_index.allocatable_of(node);
        Amounts plugin;
        for (const auto& [resource, amount] : allocatable.entries())
            plugin.set(resource, amount - before.all.of(resource));
        const auto after = offer(node, plugin);
        apply_node_delta(node, node_index.exchange_amounts(node, before.all, after), change);
        note_taken(node, before.taken, change);
    }
    for (const auto& uid : delta.pods) {
        const auto resolved = devices.resolve(uid);
        affected.add_gang_of(resolved.pod, change.gangs);
        on_resolved(resolved, change);
    }
}

// A device that a claim releases frees room, like a pod that has left.
void Cluster::State::note_taken(const std::string& node, const Amounts& before, Change& change) const {
    const auto known = offered.find(node);
    const auto now = known == offered.end() ? Amounts{} : known->second.taken;
    if (now == before)
        return;
    change.nodes.insert(node);
    for (const auto& [resource, amount] : before.entries())
        change.may_free_room = change.may_free_room || now.of(resource) < amount;
}

// What is left to kube-scheduler for a pod's claims (DR5), and to other schedulers for shares of GPUs (DR8).
std::set<std::string> Cluster::State::device_warnings(const Pod& pod) const {
    std::set<std::string> warnings;
    const auto* remarks = devices.keeps_any() ? devices.remarks(pod.uid) : nullptr;
    if (remarks != nullptr)
        warnings.insert(remarks->warnings.begin(), remarks->warnings.end());
    for (const auto& share : node_index.uncounted_shares()) {
        if (pod.shape.requests.of(share) > 0)
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
    }
    return warnings;
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

#include "model/cluster/late_pod_classes.hpp"

#include <algorithm>

namespace echelon::model {

namespace {

std::string_view namespace_of(const GroupKey& group) {
    const std::string_view name = group.name;
    return name.substr(0, name.find('/'));
}

void add(DeviceIndex::Delta from, DeviceIndex::Delta& to) {
    to.nodes.merge(from.nodes);
    to.pods.merge(from.pods);
    to.changes_plugin_nodes = to.changes_plugin_nodes || from.changes_plugin_nodes;
}

}  // namespace

// The devices of a claim that pods share are requested by the first of those that exist.
std::vector<PodClaim> LatePodClasses::claims_of(const Group& group) {
    auto claims = group.late_claims;
    std::erase_if(claims, [](const PodClaim& claim) { return claim.claim_template.empty(); });
    for (auto& claim : claims)
        claim.claim.clear();
    return claims;
}

std::optional<PodClassId> LatePodClasses::find(const Group& group) const {
    if (!group.late_pod_class)
        return std::nullopt;
    const auto claims = claims_of(group);
    const auto found = templates_.find(
        Parts(claims.empty() ? std::string_view() : namespace_of(group.key), *group.late_pod_class, claims));
    return found == templates_.end() ? std::nullopt : std::optional(found->second.pod_class->second.id);
}

void LatePodClasses::renew(const GroupKey& group) {
    const auto* declared = forest_.find(group);
    const auto* late = declared != nullptr && declared->late_pod_class ? declared : nullptr;
    const auto known = by_group_.find(group);
    if (known == by_group_.end() && late == nullptr)
        return;
    if (known != by_group_.end()) {
        const auto used = known->second;
        if (late != nullptr && used->first.pod_class == *late->late_pod_class && used->first.claims == claims_of(*late))
            return;
        by_group_.erase(known);
        remove(group, used);
    }
    if (late != nullptr)
        add(group, *late);
}

void LatePodClasses::renew_with_described(const GroupKey& group) {
    renew(group);
    for (const auto& described : forest_.described(group))
        renew(described);
}

void LatePodClasses::note_class_of(const std::string& resource) {
    for (auto used = templates_.begin(); used != templates_.end(); ++used) {
        if (!used->second.stand_in.empty() || used->first.pod_class.requests.of(resource) <= 0)
            continue;
        let_stand_in(used);
        if (const auto& uid = used->second.stand_in; !uid.empty())
            delta_.pods.insert(uid);
    }
}

const std::set<GroupKey>& LatePodClasses::resolve(const std::string& uid) {
    auto& use = stand_ins_.at(uid)->second;
    const auto before = use.pod_class;
    use.pod_class = node_index_.intern(devices_.resolve(uid).pod.pod_class);
    node_index_.drop(before);
    return use.groups;
}

void LatePodClasses::add(const GroupKey& group, const Group& declared) {
    auto claims = claims_of(declared);
    Template key{.ns = claims.empty() ? std::string() : std::string(namespace_of(group)),
                 .pod_class = *declared.late_pod_class,
                 .claims = std::move(claims)};
    const auto [used, is_new] = templates_.try_emplace(std::move(key));
    used->second.groups.insert(group);
    by_group_.emplace(group, used);
    if (!is_new)
        return;
    used->second.pod_class = node_index_.intern(used->first.pod_class);
    let_stand_in(used);
}

void LatePodClasses::remove(const GroupKey& group, Templates::iterator used) {
    used->second.groups.erase(group);
    if (!used->second.groups.empty())
        return;
    if (const auto& uid = used->second.stand_in; !uid.empty()) {
        model::add(devices_.drop(uid), delta_);
        delta_.pods.erase(uid);
        stand_ins_.erase(uid);
    }
    node_index_.drop(used->second.pod_class);
    templates_.erase(used);
}

void LatePodClasses::let_stand_in(Templates::iterator used) {
    PodSeen pod;
    pod.pod.uid = ":late/" + std::to_string(++last_stand_in_);
    pod.pod.ns = used->first.ns;
    pod.pod.name = pod.pod.uid;
    pod.pod.pod_class = used->first.pod_class;
    pod.claims = used->first.claims;
    if (!devices_.concerns(pod))
        return;
    used->second.stand_in = pod.pod.uid.str();
    stand_ins_.emplace(used->second.stand_in, used);
    model::add(devices_.keep(pod), delta_);
    resolve(used->second.stand_in);
}

}  // namespace echelon::model

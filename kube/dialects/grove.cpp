#include "kube/dialects/grove.hpp"

#include "kube/dialects/group_reading.hpp"
#include "kube/json/quoted_text.hpp"
#include "model/gang/sub_group_selection.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;

GroupKey root_key(std::string name) {
    return {"grove-podgang", std::move(name)};
}

GroupKey config_key(const std::string& root, const std::string& name) {
    return {"grove-group-config", root + "/" + name};
}

GroupKey leaf_key(const std::string& root, const std::string& name) {
    return {"grove-podgroup", root + "/" + name};
}

void read_pack(const Field& holder, const std::string& topology, Group& group) {
    const Field pack = holder.at("topologyConstraint").at("packConstraint");
    group.topology = topology;
    if (std::string key = pack.text("required"); is_level_key(key)) {
        group.required.push_back(std::move(key));
    } else if (!key.empty()) {
        complain(group, fmt::format("{}.required is {}, which isn't a label key", pack.path(), shown(key)));
    }
    if (std::string key = pack.text("preferred"); is_level_key(key)) {
        group.preferred.push_back(std::move(key));
    } else if (!key.empty()) {
        group.warnings.push_back(fmt::format("{}.preferred is {}, which isn't a label key", pack.path(), shown(key)));
    }
}

std::string topology_of(const Metadata& metadata) {
    std::string name = metadata.annotations.text("grove.io/topology-name");
    return name.empty() ? metadata.annotations.text("kai.scheduler/topology") : name;
}

// The pods that a podgroup lists. A listed pod that names no group is selected by its name (Z36).
void read_references(const Field& item, const Metadata& metadata, Group& leaf, Group& root) {
    std::vector<std::string> names;
    std::int64_t references = 0;
    for (const Field& reference : item.at("podReferences").items(member_bound(item.limits()))) {
        ++references;
        const std::string ns = reference.text("namespace");
        if (!ns.empty() && ns != metadata.ns) {
            complain(leaf, fmt::format("{}.namespace is {}: members and their PodGang share a namespace",
                                       reference.path(), shown(ns)));
        } else if (std::string name = reference.text("name"); !name.empty()) {
            names.push_back(std::move(name));
        }
    }
    if (references > 0)
        leaf.expected = references;
    if (!names.empty())
        root.sorts.push_back(model::selector_by_name(leaf.key, std::move(names)));
}

Group read_leaf(const Field& item, const Metadata& metadata, const std::string& topology, Group& root) {
    Group leaf;
    const std::string name = item.required_text("name");
    leaf.key = leaf_key(root.key.name, name);
    leaf.parent = root.key;
    leaf.minimum = item.pods("minReplicas", 0).value_or(0);
    read_references(item, metadata, leaf, root);
    read_pack(item, topology, leaf);
    return leaf;
}

// True if another scheduler may own the PodGang. It then is no gang without pods, whose schedulerName decides (A5).
bool may_belong_to_another_scheduler(const Metadata& metadata) {
    const std::string scheduler = metadata.labels.text("grove.io/scheduler-name");
    return !scheduler.empty() && scheduler != "default-scheduler";
}

// Reads a config, and makes it the parent of the leaves that it names. Nullopt: it names none.
std::optional<Group> read_config(const Field& item, const std::string& topology, Group& root,
                                 std::map<GroupKey, Group*>& leaves) {
    Group config;
    const std::string name = item.required_text("name");
    config.key = config_key(root.key.name, name);
    config.kind = GroupKind::composite;
    config.parent = root.key;
    read_pack(item, topology, config);
    const std::vector<Field> names = item.at("podGroupNames").items(group_bound(item.limits()));
    for (const Field& member : names) {
        const std::string leaf = member.text();
        const auto found = leaves.find(leaf_key(root.key.name, leaf));
        if (found == leaves.end()) {
            complain(root, fmt::format("{} is {}, which is no podgroup", member.path(), shown(leaf)));
        } else if (found->second->parent != root.key) {
            complain(root, fmt::format("{}: {} is already in another entry", member.path(), shown(leaf)));
        } else {
            found->second->parent = config.key;
        }
    }
    return names.empty() ? std::nullopt : std::optional(std::move(config));
}

}  // namespace

model::GroupSet read_pod_gang(const Field& object, const Metadata& metadata) {
    const Field spec = object.at("spec");
    const std::string topology = topology_of(metadata);
    Group root;
    root.key = root_key(metadata.full_name());
    root.kind = GroupKind::composite;
    read_identity(object, metadata, root);
    read_pack(spec, topology, root);
    root.priority_class = spec.text("priorityClassName");
    root.policy.has_placement_score = true;
    root.policy.needs_pods = may_belong_to_another_scheduler(metadata);
    if (const Field reservation = spec.at("reuseReservationRef"); reservation.exists())
        root.warnings.push_back(fmt::format("{} isn't read", reservation.path()));

    const Bound most_groups = group_bound(object.limits());
    std::vector<Group> leaves;
    std::set<GroupKey> keys;
    for (const Field& item : spec.at("podgroups").items(most_groups)) {
        leaves.push_back(read_leaf(item, metadata, topology, root));
        if (!keys.insert(leaves.back().key).second) {
            item.wrong("name", fmt::format("{} is given twice", shown(item.text("name"))));
            leaves.pop_back();
        }
    }
    std::map<GroupKey, Group*> by_key;
    for (Group& leaf : leaves) {
        by_key.emplace(leaf.key, &leaf);
    }
    std::vector<Group> configs;
    for (const Field& item : spec.at("topologyConstraintGroupConfigs").items(most_groups)) {
        std::optional<Group> config = read_config(item, topology, root, by_key);
        if (!config)
            continue;
        if (!keys.insert(config->key).second)
            item.wrong("name", fmt::format("{} is given twice", shown(item.text("name"))));
        configs.push_back(std::move(*config));
    }
    model::GroupSet out{.owner = root.key, .uid = metadata.uid, .created = metadata.created};
    out.groups.push_back(std::move(root));
    std::ranges::move(configs, std::back_inserter(out.groups));
    std::ranges::move(leaves, std::back_inserter(out.groups));
    return out;
}

std::optional<model::Membership> grove_membership(const Metadata& pod) {
    const std::string gang = pod.labels.text("grove.io/podgang");
    const std::string clique = pod.labels.text("grove.io/podclique");
    if (gang.empty() || clique.empty())
        return std::nullopt;
    model::Membership out;
    out.leaf = leaf_key(pod.ns + "/" + gang, clique);
    out.rank = count_in(pod.labels.text("grove.io/podclique-pod-index"), 0).value_or(-1);
    // `grove.io/pod-template-hash` begins no attempt: a rolling update replaces pod after pod, and waits for each.
    if (const std::string base = pod.labels.text("grove.io/base-podgang"); !base.empty() && base != gang) {
        out.declared.edit().emplace_back(supplement_to(out.leaf)).anchor = root_key(pod.ns + "/" + base);
    }
    return out;
}

}  // namespace echelon::kube

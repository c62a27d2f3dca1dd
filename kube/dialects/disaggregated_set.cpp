#include "kube/dialects/disaggregated_set.hpp"

#include "kube/dialects/group_reading.hpp"
#include "kube/dialects/leader_worker_set.hpp"
#include "kube/json/quoted_text.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;

constexpr std::int64_t fewest_roles = 2;

// The composite of a role in a gang, or in the object that describes the gangs.
GroupKey role_key(const GroupKey& above, const std::string& role) {
    return {"disaggregated-set-role", above.name + "/" + role};
}

// True if an autoscaler sets the role's replicas, which may be 0 while the other roles have some.
bool is_scaled_elsewhere(const Field& role) {
    const Field scaling = role.at("scaling");
    const std::string mode = scaling.text("mode");
    if (!mode.empty() && mode != "Static" && mode != "External")
        scaling.wrong("mode", fmt::format("must be Static or External, not {}", shown(mode)));
    return mode == "External";
}

}  // namespace

Group read_disaggregated_set(const Field& object, const Metadata& metadata) {
    Group set;
    set.key = {std::string(disaggregated_set_kind), metadata.full_name()};
    set.kind = GroupKind::composite;
    set.policy.needs_pods = true;
    read_identity(object, metadata, set);
    std::set<std::string> roles;
    std::set<std::string> needed;
    for (const Field& role : object.at("spec").at("roles").items(group_bound(object.limits()))) {
        std::string name = role.required_text("name");
        if (!name.empty() && !roles.insert(name).second)
            role.wrong("name", fmt::format("{} is given twice", shown(name)));
        if (!is_scaled_elsewhere(role))
            needed.insert(std::move(name));
    }
    const std::int64_t scaled_elsewhere = std::ssize(roles) - std::ssize(needed);
    set.fewest = std::max<std::int64_t>(1, std::max(fewest_roles, std::ssize(roles)) - scaled_elsewhere);
    for (const std::string& role : needed)
        set.listed.push_back(role_key(set.key, role));
    return set;
}

std::optional<model::Membership> disaggregated_set_membership(const Metadata& pod) {
    const std::string name = pod.labels.text("disaggregatedset.x-k8s.io/name");
    const std::string role = pod.labels.text("disaggregatedset.x-k8s.io/role");
    if (name.empty() || role.empty())
        return std::nullopt;
    std::optional<model::Membership> out = leader_worker_set_membership(pod);
    if (!out)
        return std::nullopt;
    std::string slice = pod.labels.text("disaggregatedset.x-k8s.io/slice");
    if (slice.empty())
        slice = '0';

    Group root;
    root.key = {"disaggregated-set",
                fmt::format("{}/{}/{}/{}", pod.ns, name, slice, pod.labels.text("disaggregatedset.x-k8s.io/revision"))};
    root.kind = GroupKind::composite;
    root.fewest = fewest_roles;
    root.described_by = {std::string(disaggregated_set_kind), fmt::format("{}/{}", pod.ns, name)};
    Group composite;
    composite.key = role_key(root.key, role);
    composite.kind = GroupKind::composite;
    composite.parent = root.key;
    composite.minimum = 1;

    attach_replica(composite.key, pod, *out);
    out->declared.push_back(std::move(composite));
    out->declared.push_back(std::move(root));
    return out;
}

}  // namespace echelon::kube

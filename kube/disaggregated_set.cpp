#include "kube/disaggregated_set.hpp"

#include "kube/leader_worker_set.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

using model::Group;
using model::GroupKind;

constexpr std::int64_t fewest_roles = 2;

}  // namespace

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
        slice = "0";

    Group root;
    root.key = {"disaggregated-set",
                fmt::format("{}/{}/{}/{}", pod.ns, name, slice, pod.labels.text("disaggregatedset.x-k8s.io/revision"))};
    root.kind = GroupKind::composite;
    root.fewest = fewest_roles;
    Group composite;
    composite.key = {"disaggregated-set-role", root.key.name + "/" + role};
    composite.kind = GroupKind::composite;
    composite.parent = root.key;
    composite.minimum = 1;

    // The replica, and what is below it, move under the role.
    const std::string old_name = out->declared.back().key.name;
    const std::string replica =
        fmt::format("{}/{}", composite.key.name, pod.labels.text("leaderworkerset.sigs.k8s.io/group-index"));
    const auto move = [&](model::GroupKey& key) { key.name.replace(0, old_name.size(), replica); };
    for (Group& group : out->declared) {
        move(group.key);
        if (group.parent)
            move(*group.parent);
    }
    move(out->leaf);
    out->declared.back().parent = composite.key;
    out->declared.push_back(std::move(composite));
    out->declared.push_back(std::move(root));
    return out;
}

}  // namespace echelon::kube

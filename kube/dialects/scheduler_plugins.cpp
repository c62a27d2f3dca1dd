#include "kube/dialects/scheduler_plugins.hpp"

#include "kube/dialects/group_reading.hpp"
#include "kube/dialects/label_gang.hpp"
#include "kube/dialects/upstream.hpp"

#include <string>

namespace echelon::kube {

model::Group read_scheduler_plugins_group(const Field& object, const Metadata& metadata) {
    const Field spec = object.at("spec");
    model::Group group;
    group.key = {std::string(scheduler_plugins_leaf), metadata.full_name()};
    read_identity(object, metadata, group);
    group.minimum = spec.pods("minMember", 1);
    read_timeout(spec, group);
    group.priority_class = spec.text("priorityClassName");
    read_preferred_level(metadata.annotations, preferred_topology_annotation, group);
    return group;
}

std::optional<model::Membership> scheduler_plugins_membership(const Metadata& pod) {
    const std::string name = pod.labels.text("scheduling.x-k8s.io/pod-group");
    if (name.empty())
        return std::nullopt;
    model::Membership out;
    out.leaf = {std::string(scheduler_plugins_leaf), pod.ns + "/" + name};
    return out;
}

}  // namespace echelon::kube

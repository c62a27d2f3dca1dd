#include "model/cluster/late_pod_classes.hpp"

namespace echelon::model {

void LatePodClasses::renew(const GroupKey& group) {
    const auto* declared = forest_.find(group);
    const auto* late = declared != nullptr && declared->late_pod_class ? &*declared->late_pod_class : nullptr;
    const auto known = pod_classes_.find(group);
    if (known == pod_classes_.end() && late == nullptr)
        return;
    if (known != pod_classes_.end()) {
        if (late != nullptr && known->second->first == *late)
            return;
        node_index_.drop(known->second);
        pod_classes_.erase(known);
    }
    if (late != nullptr)
        pod_classes_.emplace(group, node_index_.intern(*late));
}

void LatePodClasses::renew_with_described(const GroupKey& group) {
    renew(group);
    for (const auto& described : forest_.described(group))
        renew(described);
}

}  // namespace echelon::model

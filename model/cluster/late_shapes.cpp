#include "model/cluster/late_shapes.hpp"

namespace echelon::model {

void LateShapes::renew(const GroupKey& group) {
    const auto* declared = forest_.find(group);
    const auto* late = declared != nullptr && declared->late_pod_class ? &*declared->late_pod_class : nullptr;
    const auto known = shapes_.find(group);
    if (known == shapes_.end() && late == nullptr)
        return;
    if (known != shapes_.end()) {
        if (late != nullptr && known->second->first == *late)
            return;
        node_index_.drop(known->second);
        shapes_.erase(known);
    }
    if (late != nullptr)
        shapes_.emplace(group, node_index_.intern(*late));
}

void LateShapes::renew_with_described(const GroupKey& group) {
    renew(group);
    for (const auto& described : forest_.described(group))
        renew(described);
}

}  // namespace echelon::model

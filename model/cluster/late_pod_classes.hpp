#pragma once

// Which pod classes do members have that aren't created yet (H1)? The solver needs the classes before the pods exist.

#include "model/cluster/node_index.hpp"
#include "model/gang/forest.hpp"

#include <map>

namespace echelon::model {

// Refers to both arguments.
class LatePodClasses {
public:
    LatePodClasses(const GroupForest& forest, NodeIndex& node_index) : forest_(forest), node_index_(node_index) {}

    // Call it after a group's declaration came, went or changed.
    void renew(const GroupKey& group);
    // For the group, and for those that it describes.
    void renew_with_described(const GroupKey& group);

private:
    const GroupForest& forest_;
    NodeIndex& node_index_;
    std::map<GroupKey, NodeIndex::PodClassEntry> pod_classes_;
};

}  // namespace echelon::model

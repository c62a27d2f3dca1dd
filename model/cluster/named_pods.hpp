#pragma once

// Which leaf names a pod that names no group itself (Z36)?

#include "model/gang/forest.hpp"

#include <map>
#include <set>
#include <string>

namespace echelon::model {

class NamedPods {
public:
    using Leaves = std::map<std::string, GroupKey>;  // Full name of a pod -> its leaf.

    [[nodiscard]] bool empty() const { return leaves_of_.empty(); }
    // The first by key, if several leaves name the pod; null: none does. `pod`: full name.
    [[nodiscard]] const GroupKey* leaf_of(const std::string& pod) const;
    // The group names these pods from now on, and no others. Returns the pods for which that makes a difference.
    std::set<std::string> assign(const GroupKey& group, Leaves now);

private:
    std::map<GroupKey, Leaves> of_group_;
    std::map<std::string, std::set<GroupKey>> leaves_of_;  // Full name of a pod -> leaves that name it.
};

}  // namespace echelon::model

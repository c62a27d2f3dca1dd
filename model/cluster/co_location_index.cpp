#include "model/cluster/co_location_index.hpp"

namespace echelon::model {

void CoLocationIndex::add(const Membership& membership) {
    for (const auto& group : membership.declared.values()) {
        if (group.anchor)
            ++leaves_of_[*group.anchor][group.key];
    }
}

void CoLocationIndex::remove(const Membership& membership) {
    for (const auto& group : membership.declared.values()) {
        if (!group.anchor)
            continue;
        const auto leaves = leaves_of_.find(*group.anchor);
        if (const auto leaf = leaves->second.find(group.key); --leaf->second == 0)
            leaves->second.erase(leaf);
        if (leaves->second.empty())
            leaves_of_.erase(leaves);
    }
}

const CoLocationIndex::Leaves* CoLocationIndex::leaves_of(const GroupKey& anchor) const {
    const auto leaves = leaves_of_.find(anchor);
    return leaves == leaves_of_.end() ? nullptr : &leaves->second;
}

}  // namespace echelon::model

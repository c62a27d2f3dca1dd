#include "model/cluster/selected_leaves.hpp"

#include <utility>

namespace echelon::model {

void SelectedLeaves::set_selects(const GroupKey& group, bool selects) {
    if (selects) {
        selecting_.insert(group);
    } else {
        selecting_.erase(group);
    }
}

void SelectedLeaves::add(const GroupKey& leaf, Selected selected) {
    leaves_of_[selected.group].insert(leaf);
    selected_.insert_or_assign(leaf, std::move(selected));
}

std::optional<SelectedLeaves::Selected> SelectedLeaves::remove(const GroupKey& leaf) {
    auto known = selected_.extract(leaf);
    if (known.empty())
        return std::nullopt;
    const auto leaves = leaves_of_.find(known.mapped().group);
    leaves->second.erase(leaf);
    if (leaves->second.empty())
        leaves_of_.erase(leaves);
    return std::move(known.mapped());
}

const SelectedLeaves::Selected* SelectedLeaves::find(const GroupKey& leaf) const {
    const auto known = selected_.find(leaf);
    return known == selected_.end() ? nullptr : &known->second;
}

std::set<GroupKey> SelectedLeaves::leaves_of(const GroupKey& group) const {
    const auto leaves = leaves_of_.find(group);
    return leaves == leaves_of_.end() ? std::set<GroupKey>{} : leaves->second;
}

std::vector<GroupKey> SelectedLeaves::made() const {
    std::vector<GroupKey> leaves;
    for (const auto& [leaf, selected] : selected_) {
        if (selected.is_made)
            leaves.push_back(leaf);
    }
    return leaves;
}

}  // namespace echelon::model

#pragma once

// Into which leaves do groups select the pods that name them, by the pods' labels?

#include "model/gang/forest.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace echelon::model {

class SelectedLeaves {
public:
    struct Selected {
        GroupKey group;        // The group that the pods name.
        bool is_made = false;  // No object declares the leaf: it is there for its pods alone.
    };

    // True if no group selects leaves.
    [[nodiscard]] bool empty() const { return selecting_.empty(); }
    [[nodiscard]] bool does_select(const GroupKey& group) const { return selecting_.contains(group); }
    void set_selects(const GroupKey& group, bool selects);

    // A pod that names `group` is in the leaf.
    void add(const GroupKey& leaf, Selected selected);
    // What was added; nullopt: nothing.
    std::optional<Selected> remove(const GroupKey& leaf);
    [[nodiscard]] const Selected* find(const GroupKey& leaf) const;
    // True if pods that name the group are in other leaves.
    [[nodiscard]] bool has_leaves(const GroupKey& group) const { return leaves_of_.contains(group); }
    [[nodiscard]] std::set<GroupKey> leaves_of(const GroupKey& group) const;
    // Leaves that no object declares.
    [[nodiscard]] std::vector<GroupKey> made() const;

private:
    std::set<GroupKey> selecting_;
    std::map<GroupKey, std::set<GroupKey>> leaves_of_;  // Group -> leaves with its pods.
    std::map<GroupKey, Selected> selected_;             // By leaf.
};

}  // namespace echelon::model

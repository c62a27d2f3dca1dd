#pragma once

// Which groups does each object stand for, where one object stands for several?
//
// A set replaces the earlier one of its owner as a whole, so that a group which left the object leaves the forest.
// Pure.

#include "model/facts/group.hpp"
#include "model/gang/forest.hpp"

#include <map>
#include <string_view>
#include <vector>

namespace echelon::model {

// Shared groups included.
[[nodiscard]] std::vector<GroupKey> keys_of(const GroupSet& set);

class GroupSets {
public:
    // Brings the forest up to date. Returns the keys of groups that came, went or may have changed.
    std::vector<GroupKey> see(const GroupSet& set, GroupForest& forest);
    // `uid`: of the object that went; a younger one of the same name stays.
    std::vector<GroupKey> forget(const GroupKey& owner, std::string_view uid, GroupForest& forest);
    // The keys of an owner's groups, shared ones included.
    [[nodiscard]] std::vector<GroupKey> keys_of(const GroupKey& owner) const;

private:
    std::map<GroupKey, GroupSet> sets_;
};

}  // namespace echelon::model

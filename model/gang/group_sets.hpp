#pragma once

// Which groups does an object declare, if it declares several?
//
// A set replaces the owner's earlier set, so that a group which the object no longer declares leaves the forest. Pure.

#include "model/facts/group.hpp"
#include "model/gang/forest.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

class GroupSets {
public:
    // The groups that `see` would add, remove or change.
    [[nodiscard]] std::vector<GroupKey> touched_by(const GroupSet& set, const GroupForest& forest) const;
    // Stores the set, and updates the forest.
    void see(const GroupSet& set, GroupForest& forest);
    // `uid`: of the deleted object; a newer one with the same name stays. Returns the keys of the removed groups.
    std::vector<GroupKey> forget(const GroupKey& owner, std::string_view uid, GroupForest& forest);
    // The keys of an owner's groups, including shared ones.
    [[nodiscard]] std::vector<GroupKey> keys_of(const GroupKey& owner) const;
    // Every set as it came. Requires: the forest that all of them were given to.
    [[nodiscard]] std::vector<GroupSet> all(const GroupForest& forest) const;

private:
    // The forest stores the groups that are not shared.
    struct Kept {
        std::string uid;
        std::int64_t created = 0;
        std::vector<GroupKey> keys;
        std::vector<Group> shared;
    };

    static std::vector<GroupKey> keys_of(const Kept& kept);

    std::map<GroupKey, Kept> sets_;
};

}  // namespace echelon::model

#pragma once

// Which groups does each object stand for, where one object stands for several?
//
// A set replaces the earlier one of its owner as a whole, so that a group which left the object leaves the forest.
// Pure.

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
    // The groups that would come, go or change with a set: what `see` would touch. Empty: nothing.
    [[nodiscard]] std::vector<GroupKey> touched_by(const GroupSet& set, const GroupForest& forest) const;
    // Brings the forest up to date.
    void see(const GroupSet& set, GroupForest& forest);
    // `uid`: of the object that went; a younger one of the same name stays. Returns the keys of the groups.
    std::vector<GroupKey> forget(const GroupKey& owner, std::string_view uid, GroupForest& forest);
    // The keys of an owner's groups, shared ones included.
    [[nodiscard]] std::vector<GroupKey> keys_of(const GroupKey& owner) const;

private:
    // Of a set its own groups are kept by the forest alone.
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

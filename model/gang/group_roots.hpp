#pragma once

// What are the roots of many groups of one forest? Results are cached, so that a chain of groups costs only its length.
//
// Valid until the next change of the forest. Pure.

#include "model/facts/group.hpp"
#include "model/gang/forest.hpp"

#include <cstddef>
#include <set>
#include <unordered_map>
#include <vector>

namespace echelon::model {

class GroupRoots {
public:
    // Requires: `forest` outlives it.
    explicit GroupRoots(const GroupForest& forest) : forest_(forest) {}

    // As `GroupForest::root_of`.
    [[nodiscard]] GroupKey of(const GroupKey& key);
    // Adds the root of the group.
    void add(const GroupKey& key, std::set<GroupKey>& roots);
    // The same for a group of the forest.
    void add(const Group& group, std::set<GroupKey>& roots);
    // Adds the roots of the groups that name `key` as their parent. Its children share one root, which is looked up
    // once.
    void add_below(const GroupKey& key, std::set<GroupKey>& roots);
    // Adds the roots of the groups that list `key`.
    void add_listers(const GroupKey& key, std::set<GroupKey>& roots);

private:
    struct Place {
        const GroupKey* root = nullptr;  // Null: its way up ends in a cycle, or nowhere.
        std::size_t levels = 0;          // From the group up to the root, both included.
    };
    [[nodiscard]] Place place_of(const GroupKey& key) { return place_of(forest_.find(key)); }
    [[nodiscard]] Place place_of(const Group* here);
    // `root`: of `key`; null: it must be looked up.
    void insert(const GroupKey* root, const GroupKey& key, std::set<GroupKey>& roots) const;

    const GroupForest& forest_;
    std::unordered_map<const Group*, Place> known_;
    std::unordered_map<const GroupKey*, const GroupKey*> roots_of_listers_;  // By their keys in the forest.
    std::vector<const Group*> way_;                                          // Reused by `place_of`.
};

}  // namespace echelon::model

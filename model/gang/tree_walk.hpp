#pragma once

// Which groups does a tree have, one after another?
//
// In pre-order, siblings by name. Nothing is copied, and a walk that stops early has cost no more than the groups that
// it took. Valid until the forest changes. Pure.

#include "model/facts/group.hpp"
#include "model/gang/forest.hpp"

#include <cstdint>
#include <set>
#include <vector>

namespace echelon::model {

class TreeWalk {
public:
    // Requires: both stay where they are.
    TreeWalk(const GroupForest& forest, const GroupKey& root);

    struct Step {
        const GroupKey* key = nullptr;
        const Group* group = nullptr;  // As in `Branch`, like the others.
        std::uint32_t parent = 0;
        std::uint32_t depth = 1;
        Branch::End end = Branch::End::none;
    };
    // There is one more.
    [[nodiscard]] bool goes_on() const { return next_ != nullptr; }
    // Requires: it goes on.
    Step take();

private:
    // Those that are still ahead, and the number of their parent in the walk.
    struct Siblings {
        std::set<GroupKey, ByName>::const_iterator next;
        std::set<GroupKey, ByName>::const_iterator end;
        std::uint32_t parent;
    };

    // Below the group that was just taken. False: a tree has no levels left for them.
    bool descend(const GroupKey& key);
    void skip_root();
    void advance();

    const GroupForest& forest_;
    const GroupKey& root_;
    bool hangs_;
    const GroupKey* next_;
    std::uint32_t taken_ = 0;
    std::vector<Siblings> ahead_;  // One entry for each level below the root.
};

}  // namespace echelon::model

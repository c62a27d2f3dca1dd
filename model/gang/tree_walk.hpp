#pragma once

// Which groups does a tree have, one by one?
//
// In pre-order, siblings by name. Nothing is copied, and a walk that stops early costs only the groups that it took.
// Valid until the forest changes. Pure.

#include "model/facts/group.hpp"
#include "model/gang/forest.hpp"

#include <cstdint>
#include <set>
#include <vector>

namespace echelon::model {

class TreeWalk {
public:
    // Requires: both outlive the walk.
    TreeWalk(const GroupForest& forest, const GroupKey& root);

    struct Step {
        const GroupKey* key = nullptr;
        const Group* group = nullptr;  // This and all other fields as in `Branch`.
        std::uint32_t parent = 0;
        std::uint32_t depth = 1;
        Branch::End end = Branch::End::none;
    };
    // True if there is another group.
    [[nodiscard]] bool goes_on() const { return next_ != nullptr; }
    // Requires: `goes_on()`.
    Step take();

private:
    // Siblings that are still ahead, and the index of their parent in the walk.
    struct Siblings {
        std::set<GroupKey, ByName>::const_iterator next;
        std::set<GroupKey, ByName>::const_iterator end;
        std::uint32_t parent;
    };

    // Goes to the children of the group just taken. False: they would be deeper than a tree may be.
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

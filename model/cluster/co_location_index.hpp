#pragma once

// Which leaves are anchored to which group (X5)? Members declare the anchor of their leaf.

#include "model/facts/pod.hpp"
#include "model/gang/forest.hpp"

#include <cstddef>
#include <map>

namespace echelon::model {

class CoLocationIndex {
public:
    using Leaves = std::map<GroupKey, std::size_t>;  // Leaf -> how many pods declare its anchor.

    void add(const Membership& membership);
    // Requires: it was added.
    void remove(const Membership& membership);

    [[nodiscard]] bool empty() const { return leaves_of_.empty(); }
    [[nodiscard]] bool is_anchor(const GroupKey& group) const { return leaves_of_.contains(group); }
    // Null: the group is no anchor.
    [[nodiscard]] const Leaves* leaves_of(const GroupKey& anchor) const;

private:
    std::map<GroupKey, Leaves> leaves_of_;
};

}  // namespace echelon::model

#pragma once

// How many pods will a group have whose pods are created one after another (H1)?
//
// Pure. An owner's object is seen apart from the group. The pods name both, so they show which parts are here.

#include "model/facts/group.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace echelon::model {

// Parts of one owner that have pods in the group. `owner` states of each part: all pods (`expected`), pods that are
// created together (`minimum`), and whether the part comes after others of the owner (`start_set` is 0). Its sub-group
// (`parts_of`), if any, has all pods that the owner creates later, whether their parts are here yet or not.
struct CountedParts {
    const Group& owner;
    std::int64_t number = 0;
};

// True for a supplement by which pods say of what part they are (`about`), and which group counts the pods of each part
// (`described_by`). It states no numbers itself.
[[nodiscard]] bool counts_parts(const Group& addition);
// Supplies the leaf with its expected pods, those that come first, and the class of the others. Parts without pods
// count only if they come later. Nullopt: the group knows better, or all pods come at once.
[[nodiscard]] std::optional<Group> count_pods_to_come(const Group& group, const std::vector<CountedParts>& parts);

}  // namespace echelon::model

#pragma once

// Which leaf of a group gets a pod that names the group, by the pod's labels?
//
// Pure. Which pods are where is kept in `model/cluster/cluster_selection.cpp`.

#include "model/facts/group.hpp"
#include "model/facts/pod_term.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

// The key of a mark that isn't a label, among the labels of a pod. No selector can name such a key by chance.
[[nodiscard]] std::string selector_key(std::string_view name);

// Selects pods that name no group, by their names alone (Z36). `names`: pods in the namespace of the leaf.
[[nodiscard]] SubGroupSelector selector_by_name(const GroupKey& leaf, std::vector<std::string> names);
// The names of such a selector; null: it selects by labels.
[[nodiscard]] const std::vector<std::string>* selected_names(const SubGroupSelector& selector);
// Multiples of the group mean consecutive ranks (Z42): `model/gang/rank_slices.hpp`.
[[nodiscard]] SubGroupSelector selector_by_rank();
[[nodiscard]] bool is_cut_by_rank(const Group& group);
// The same for a composite, whose ranks run through all its children in name order.
[[nodiscard]] SubGroupSelector selector_across_children();
[[nodiscard]] bool is_cut_across_children(const Group& group);
// Pods of the group are created after those of other groups, all of one kind, have ended (Z31):
// `model/gang/later_stages.hpp`.
[[nodiscard]] SubGroupSelector selector_after(const std::string& kind, std::vector<std::string> names);
[[nodiscard]] std::vector<GroupKey> ends_before(const Group& group);
// Sub-groups that are needed even without pods. Of the key of `leaf` only the kind counts:
// `model/gang/absent_parts.hpp`.
[[nodiscard]] SubGroupSelector selector_of_parts(Group leaf, PartNumbers numbers);
struct Parts {
    const Group& leaf;
    PartNumbers numbers;
};
[[nodiscard]] std::optional<Parts> parts_of(const Group& group);
// True if the group selects leaves for its pods by labels.
[[nodiscard]] bool selects_by_labels(const Group& group);

struct SelectedLeaf {
    Group leaf;
    bool is_made = false;  // True: it exists only by its pods; false: its object declares it.
};

// nullopt: the pod stays in the group itself.
[[nodiscard]] std::optional<SelectedLeaf> select_leaf(const Group& group, const LabelViews& labels);

}  // namespace echelon::model

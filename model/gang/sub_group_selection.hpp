#pragma once

// Into which leaf does a group sort a pod that names it, by the pod's labels?
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

// The key under which a mark that is no label stands among the labels of a pod, so that no selector means it by chance.
[[nodiscard]] std::string selector_key(std::string_view name);

// Pods that name no group, which a group has by their names alone (Z36). `names`: in the namespace of the leaf.
[[nodiscard]] SubGroupSelector selector_by_name(const GroupKey& leaf, std::vector<std::string> names);
// The names; null: it selects by labels.
[[nodiscard]] const std::vector<std::string>* selected_names(const SubGroupSelector& selector);
// Multiples of the group mean consecutive ranks (Z42): `model/gang/rank_slices.hpp`.
[[nodiscard]] SubGroupSelector selector_by_rank();
[[nodiscard]] bool is_cut_by_rank(const Group& group);
// Pods of the group come once those of other groups, all of one kind, have ended (Z31): `model/gang/later_stages.hpp`.
[[nodiscard]] SubGroupSelector selector_after(const std::string& kind, std::vector<std::string> names);
[[nodiscard]] std::vector<GroupKey> ends_before(const Group& group);
// Sub-groups that are needed without pods, too. In the key of `leaf` only the kind counts: `model/gang/absent_parts.hpp`.
[[nodiscard]] SubGroupSelector selector_of_parts(Group leaf, PartNumbers numbers);
struct Parts {
    const Group& leaf;
    PartNumbers numbers;
};
[[nodiscard]] std::optional<Parts> parts_of(const Group& group);
// It sorts the pods that name it, by what their labels say.
[[nodiscard]] bool selects_by_labels(const Group& group);

struct SelectedLeaf {
    Group leaf;
    bool is_made = false;  // It exists by its pods; else its object declares it.
};

// nullopt: the pod stays in the group itself.
[[nodiscard]] std::optional<SelectedLeaf> select_leaf(const Group& group, const LabelViews& labels);

}  // namespace echelon::model

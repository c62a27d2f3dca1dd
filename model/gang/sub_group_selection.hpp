#pragma once

// Into which leaf does a group sort a pod that names it, by the pod's labels?
//
// Pure. Which pods are where is kept in `model/cluster/cluster_selection.cpp`.

#include "model/facts/group.hpp"
#include "model/facts/pod_term.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace echelon::model {

// The key under which a mark that is no label stands among the labels of a pod, so that no selector means it by chance.
[[nodiscard]] std::string selector_key(std::string_view name);

struct SelectedLeaf {
    Group leaf;
    bool is_made = false;  // It exists by its pods; else its object declares it.
};

// nullopt: the pod stays in the group itself.
[[nodiscard]] std::optional<SelectedLeaf> select_leaf(const Group& group, const LabelViews& labels);

}  // namespace echelon::model

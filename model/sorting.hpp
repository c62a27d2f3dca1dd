#pragma once

// Into which leaf does a group sort a pod that names it, by the pod's labels?
//
// Pure. Which pods are where is kept in `model/cluster_sorting.cpp`.

#include "model/group.hpp"
#include "model/pod_term.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace echelon::model {

// The key under which a mark that is no label stands among the labels of a pod, so that no selector means it by chance.
[[nodiscard]] std::string mark_key(std::string_view name);

struct SortedLeaf {
    Group leaf;
    bool is_made = false;  // It exists by its pods; else its object declares it.
};

// nullopt: the pod stays in the group itself.
[[nodiscard]] std::optional<SortedLeaf> sorted_leaf(const Group& group, const LabelViews& labels);

}  // namespace echelon::model

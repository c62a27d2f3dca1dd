#pragma once

// What does a v1 Node say about its room, its labels and whether it takes pods? Pure.

#include "kube/json/field.hpp"
#include "model/facts/node.hpp"

namespace echelon::kube {

// Of its annotations only the instance is kept. A node without a Ready condition counts as ready: nothing speaks
// against it.
[[nodiscard]] model::Node read_node(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube

#pragma once

// What does a v1 Node say about its capacity, its labels and whether it takes pods? Pure.

#include "kube/json/field.hpp"
#include "model/facts/node.hpp"

namespace echelon::kube {

// Only one annotation is kept, the instance (`model::instance_annotation`). A node without a Ready condition counts as
// ready.
[[nodiscard]] model::Node read_node(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube

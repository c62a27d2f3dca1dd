#pragma once

// What does a v1 Node say about its room, its labels and whether it takes pods? Pure.

#include "kube/field.hpp"
#include "model/node.hpp"

namespace echelon::kube {

// The only annotation kept: the provider's instance id, by which topology files name nodes.
inline constexpr std::string_view instance_annotation = "topograph.run/instance";

// A node without a Ready condition counts as ready: nothing speaks against it.
[[nodiscard]] model::Node read_node(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube

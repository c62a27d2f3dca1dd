#pragma once

// Which domain does a HyperNode of Volcano declare? `topology.volcano.sh`, v1alpha1. Pure.
//
//   spec.tier (integer from 0)           the level, required; a lower tier is narrower
//   spec.tierName                        another name of the level, often a node label key
//   spec.members[].type                  Node or HyperNode: what the member is
//   spec.members[].selector
//     .exactMatch.name                   the node or HyperNode of this name, if it exists
//     .regexMatch.pattern                nodes by name: RE2, not anchored
//     .labelMatch                        nodes by labels: a label selector; an empty one matches nothing
//
// Exactly one of the three selectors must be set; otherwise the member is empty and has a problem. Status is not read.

#include "kube/json/field.hpp"
#include "model/facts/declared_domain.hpp"

#include <string>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view hypernode_kind = "HyperNode";
inline constexpr std::string_view hypernode_group = "topology.volcano.sh";

// Compiles the pattern of a HyperNode. If it isn't valid RE2, `matches` is empty.
[[nodiscard]] model::NamePattern name_pattern(const std::string& text);

[[nodiscard]] model::DeclaredDomain read_hypernode(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube

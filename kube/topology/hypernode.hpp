#pragma once

// Which domain does a HyperNode of Volcano declare? `topology.volcano.sh`, v1alpha1. Pure.
//
// | field | type | default | meaning |
// |---|---|---|---|
// | spec.tier | integer from 0 | required | level: the lower, the closer |
// | spec.tierName | string | none | another name of the level, often a node label key |
// | spec.members[].type | Node, HyperNode | required | what the member is |
// | spec.members[].selector.exactMatch.name | string | | the one of this name, if it exists |
// | spec.members[].selector.regexMatch.pattern | RE2, not anchored; type Node only | | nodes by name |
// | spec.members[].selector.labelMatch | label selector, type Node only; an empty one matches nothing | | nodes by
// labels |
//
// Exactly one of the three selectors; a member that says anything else is empty, and says why. Status is not read.

#include "kube/json/field.hpp"
#include "model/facts/declared_domain.hpp"

#include <string>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view hypernode_kind = "HyperNode";
inline constexpr std::string_view hypernode_group = "topology.volcano.sh";

// The pattern of a text, as a HyperNode has it; one that isn't RE2 judges nothing.
[[nodiscard]] model::NamePattern name_pattern(const std::string& text);

[[nodiscard]] model::DeclaredDomain read_hypernode(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube

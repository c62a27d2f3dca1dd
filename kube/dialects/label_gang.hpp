#pragma once

// Which gang do plain pods form by their labels? `echelon.sh/gang` names it, `echelon.sh/group` a group of it.
//
// Pure. Such groups are no objects: every member declares them in its annotations, and the model compares what the
// members say. Who carries none of these annotations names a Gang object instead (`gang_object.hpp`). A declaration
// that can't be read makes the gang Invalid; it never weakens it.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view gang_label = "echelon.sh/gang";
inline constexpr std::string_view group_label = "echelon.sh/group";

// The root is of kind "label-gang" and named "namespace/gang"; with a group label it is a composite over leaves of kind
// "label-group" named "namespace/gang/group". nullopt: the pod has no gang label, or an empty one.
[[nodiscard]] std::optional<model::Membership> label_membership(const Metadata& pod);

// The annotation KEY of an object as one preferred level: a wish that can't be read is dropped with a warning.
void read_preferred_level(const Metadata& object, std::string_view key, model::Group& group);

}  // namespace echelon::kube

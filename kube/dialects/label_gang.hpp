#pragma once

// Which gang do plain pods form by labels? `echelon.sh/gang` names it, `echelon.sh/group` a group of it.
//
// Pure. Such groups have no object: every member declares them in its annotations, and the model compares the
// declarations. A pod without such annotations names a Gang object instead (`gang_object.hpp`). While there is no such
// object, it is in the gang by labels of this name, which is Invalid. A declaration that can't be read makes the gang
// Invalid, too; it is never ignored.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view gang_label = "echelon.sh/gang";
inline constexpr std::string_view group_label = "echelon.sh/group";

// The root has kind "label-gang" and name "namespace/gang". With a group label it is a composite over leaves of kind
// "label-group" and name "namespace/gang/group". Nullopt: the pod has no gang label, or an empty one.
[[nodiscard]] std::optional<model::Membership> label_membership(const Metadata& pod);

}  // namespace echelon::kube

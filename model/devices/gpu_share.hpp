#pragma once

// Is a resource a share of a GPU that another scheduler hands out?
//
// If no node offers it, that scheduler counts it, and kube-scheduler is configured to ignore it. echelon doesn't count
// it either, and a warning says so (DR8). Pure.

#include <string_view>

namespace echelon::model {

// The scheduler's name, such as "HAMi"; empty: it is no such resource.
[[nodiscard]] std::string_view shared_out_by(std::string_view resource);

}  // namespace echelon::model

#pragma once

// Does a resource stand for a part of a GPU that another scheduler shares out?
//
// Where no node offers it, that scheduler does its own counting, and kube-scheduler is set up to ignore the resource.
// It is not counted here, either, and a warning says so (DR8). Pure.

#include <string_view>

namespace echelon::model {

// The scheduler's name, as in "HAMi"; empty: it is none of these resources.
[[nodiscard]] std::string_view shared_out_by(std::string_view resource);

}  // namespace echelon::model

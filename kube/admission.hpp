#pragma once

// What does the admission webhook say to a pod? Members of gangs get the scheduling gate, so that kube-scheduler
// doesn't try them before their gang has a plan. Nothing is ever rejected: whoever is let through without the gate is
// refused in filter until then, so `failurePolicy: Ignore` is safe.
//
// Pure and thread-safe.

#include "model/result.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace echelon::kube {

// The AdmissionReview (admission.k8s.io/v1) that answers `review`, as JSON. `is_ours`: pods of this schedulerName are
// placed by us. An error says why it isn't a review.
[[nodiscard]] model::Result<std::string> admit(std::string_view review,
                                               const std::function<bool(std::string_view scheduler_name)>& is_ours);

}  // namespace echelon::kube

#pragma once

// What does the admission webhook say to a pod, and to a PodCliqueSet? Members of gangs of ours get the scheduling
// gate, so that kube-scheduler doesn't try them before their gang has a plan; pods of Grove for Koordinator get its
// schedulerName, if they name none but the default one, and the label of their PodGroup (Z29). No pod is ever rejected:
// whoever is let through without the gate is refused in filter until then, so `failurePolicy: Ignore` is safe. A
// PodCliqueSet for Koordinator is rejected for what that can't keep; of a change only for what is new in it, since
// older faults are told at the PodGang.
//
// Pure and thread-safe.

#include "base/result.hpp"
#include "kube/client/served_kinds.hpp"
#include "translate/clique_set.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace echelon::app {

using SchedulerOf = std::function<std::string(const std::string& ns, const std::string& pod_gang)>;

// The AdmissionReview (admission.k8s.io/v1) that answers `review`, as JSON. `is_ours`: pods of this schedulerName are
// placed by us; `backend`: who else's pods and sets are meant; `scheduler_of`: of a PodGang by namespace and name, as
// its label says, else empty; what pods say of a kind that isn't served is passed
// over. An error says why it isn't a review.
[[nodiscard]] base::Result<std::string> admit(std::string_view review,
                                              const std::function<bool(std::string_view scheduler_name)>& is_ours,
                                              const std::optional<translate::KoordinatorBackend>& backend = {},
                                              kube::UnservedKinds unserved = {}, const SchedulerOf& scheduler_of = {});

}  // namespace echelon::app

#pragma once

// How does the admission webhook change pods and PodCliqueSets that are created?
//
// Members of our gangs get the scheduling gate, so that kube-scheduler doesn't try them before their gang has a plan.
// Pods of Grove for Koordinator get its schedulerName, if they name none but the default one, and the label of their
// PodGroup (Z29). No pod is rejected: filter refuses a member without the gate until its gang has a plan, so
// `failurePolicy: Ignore` is safe.
//
// A PodCliqueSet for Koordinator is rejected if it asks for what Koordinator can't keep. An update is rejected only for
// faults that are new; older ones are reported on the PodGang.
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

// Returns the AdmissionReview (admission.k8s.io/v1) that answers `review`, as JSON. The error says why `review` isn't
// one. `is_ours`: we place the pods of this schedulerName. `backend`: Koordinator, if its pods and sets are prepared.
// `unserved`: kinds to which references in pods are ignored. `scheduler_of`: the scheduler of a PodGang by namespace
// and name, as its label says; else empty.
[[nodiscard]] base::Result<std::string> admit(std::string_view review,
                                              const std::function<bool(std::string_view scheduler_name)>& is_ours,
                                              const std::optional<translate::KoordinatorBackend>& backend = {},
                                              kube::UnservedKinds unserved = {}, const SchedulerOf& scheduler_of = {});

}  // namespace echelon::app

#pragma once

// Next to which pods may a pod run? Its required pod affinity and anti-affinity, as far as echelon evaluates them
// (D14), and whether it must be spread. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <string_view>

namespace echelon::kube {

// Fills `terms`, `has_unread_terms` and `has_unread_spread` of a pod that has its namespace. `labels`: those of the
// pod. A namespaceSelector is read only if it is empty or selects by name; other terms are left to kube-scheduler's own
// filters.
void read_pod_terms(const Field& spec, const Field& labels, model::Pod& pod);

}  // namespace echelon::kube

#pragma once

// Beside which pods may a pod stand? Its required pod affinity and anti-affinity, as far as they can be read (D14).
// Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <string_view>

namespace echelon::kube {

// Fills `terms` and `has_unread_terms` of a pod in namespace `ns` from its spec. A term that depends on labels of
// namespaces isn't read, save by their name: it stays with kube-scheduler's own filters.
void read_pod_terms(const Field& spec, std::string_view ns, model::Pod& pod);

}  // namespace echelon::kube

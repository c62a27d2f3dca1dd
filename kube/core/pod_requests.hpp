#pragma once

// How much does a pod take on its node? The effective request, as kube-scheduler computes it, and what the kubelet
// reads beside it to align the pod to NUMA zones. Pure.

#include "kube/json/field.hpp"
#include "model/facts/amounts.hpp"
#include "model/facts/pod_class.hpp"

namespace echelon::kube {

// A map from resource to quantity, without zeros. Faults are noted in the field.
[[nodiscard]] model::Amounts read_amounts(const Field& resources);

// The larger of two amounts: all containers and sidecars together, and each init container with the sidecars that
// started before it. Pod-level cpu, memory and huge pages replace that, and the overhead is added. "pods" is 1, and so
// is each host port (`model::host_port`).
[[nodiscard]] model::Amounts effective_request(const Field& pod);

struct PodRequests {
    model::Amounts effective;
    // Without containers if the kubelet aligns nothing: the pod is not Guaranteed and has no devices. With pod-level
    // resources the kubelet aligns only devices.
    model::Alignment alignment;
};
[[nodiscard]] PodRequests pod_requests(const Field& pod);

}  // namespace echelon::kube

#pragma once

// Which devices exist, and which are requested? ResourceSlice, DeviceClass, ResourceClaim and ResourceClaimTemplate of
// resource.k8s.io, in v1, v1beta2 and v1beta1; DeviceTaintRule in v1, v1beta2 and v1alpha3; and the claims of a pod.
//
// Pure.

#include "kube/json/field.hpp"
#include "model/facts/device.hpp"

#include <string_view>
#include <vector>

namespace echelon::kube {

inline constexpr std::string_view device_group = "resource.k8s.io";

[[nodiscard]] model::DeviceSlice read_resource_slice(const Field& object, const Metadata& metadata);
[[nodiscard]] model::DeviceClass read_device_class(const Field& object, const Metadata& metadata);
[[nodiscard]] model::DeviceClaim read_resource_claim(const Field& object, const Metadata& metadata);
[[nodiscard]] model::DeviceClaimTemplate read_resource_claim_template(const Field& object, const Metadata& metadata);
[[nodiscard]] model::DeviceTaintRule read_device_taint_rule(const Field& object, const Metadata& metadata);
// The claims of a pod: spec.resourceClaims and status.resourceClaimStatuses.
[[nodiscard]] std::vector<model::PodClaim> read_pod_claims(const Field& pod);

}  // namespace echelon::kube

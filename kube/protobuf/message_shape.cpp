#include "kube/protobuf/message_shape.hpp"

#include "kube/protobuf/core_shapes.hpp"

#include <algorithm>

namespace echelon::kube {

using namespace rows;  // NOLINT(google-build-using-namespace): a file of rows.

namespace {

constexpr FieldShape list_metadata_fields[] = {text(2, "resourceVersion"), text(3, "continue")};
constexpr MessageShape list_metadata{list_metadata_fields};

constexpr FieldShape cause_fields[] = {text(1, "reason"), text(2, "message"), text(3, "field")};
constexpr MessageShape cause{cause_fields};
constexpr FieldShape details_fields[] = {list(object(4, "causes", cause)), number(5, "retryAfterSeconds")};
constexpr MessageShape details{details_fields};
constexpr FieldShape status_fields[] = {
    text(2, "status"), text(3, "message"), text(4, "reason"), object(5, "details", details), number(6, "code"),
};
constexpr MessageShape status_message{status_fields};
constexpr ObjectShape status{"v1", "Status", &status_message};

constexpr ObjectShape kinds[] = {
    {"v1", "Pod", &pod_message},
    {"v1", "Node", &node_message},
    {"scheduling.k8s.io/v1", "PriorityClass", &priority_class_message},
    {"batch/v1", "Job", &job_message},
    {"policy/v1", "PodDisruptionBudget", &disruption_budget_message},
    {"resource.k8s.io/v1", "DeviceClass", &device_class_message},
    {"resource.k8s.io/v1", "ResourceSlice", &resource_slice_message},
    {"resource.k8s.io/v1", "ResourceClaim", &resource_claim_message},
    {"resource.k8s.io/v1", "ResourceClaimTemplate", &resource_claim_template_message},
    {"resource.k8s.io/v1", "DeviceTaintRule", &device_taint_rule_message},
    {"resource.k8s.io/v1beta2", "DeviceClass", &device_class_message},
    {"resource.k8s.io/v1beta2", "ResourceSlice", &resource_slice_message},
    {"resource.k8s.io/v1beta2", "ResourceClaim", &resource_claim_message},
    {"resource.k8s.io/v1beta2", "ResourceClaimTemplate", &resource_claim_template_message},
    {"resource.k8s.io/v1beta2", "DeviceTaintRule", &device_taint_rule_message},
};

}  // namespace

const ObjectShape* shape_of(std::string_view api_version, std::string_view kind) {
    const auto* found = std::ranges::find_if(
        kinds, [&](const ObjectShape& shape) { return shape.api_version == api_version && shape.kind == kind; });
    return found == std::end(kinds) ? nullptr : found;
}

std::span<const ObjectShape> object_shapes() {
    return kinds;
}

const ObjectShape& status_shape() {
    return status;
}

const MessageShape& list_metadata_shape() {
    return list_metadata;
}

}  // namespace echelon::kube

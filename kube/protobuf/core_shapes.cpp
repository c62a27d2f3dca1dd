#include "kube/protobuf/core_shapes.hpp"

namespace echelon::kube {

using namespace rows;  // NOLINT(google-build-using-namespace): a file of rows.

namespace {

constexpr FieldShape owner_fields[] = {kept(text(1, "kind")), kept(text(4, "uid")), kept(flag(6, "controller"))};
constexpr MessageShape owner{owner_fields};

constexpr FieldShape metadata_fields[] = {
    text(1, "name"),
    text(3, "namespace"),
    text(5, "uid"),
    text(6, "resourceVersion"),
    number(7, "generation"),
    time(8, "creationTimestamp"),
    time(9, "deletionTimestamp"),
    map(text(11, "labels")),
    map(text(12, "annotations")),
    list(object(13, "ownerReferences", owner)),
};

// A requirement of a label selector and one of a node selector have the same form.
constexpr FieldShape requirement_fields[] = {kept(text(1, "key")), kept(text(2, "operator")), list(text(3, "values"))};
constexpr MessageShape requirement{requirement_fields};

constexpr FieldShape label_selector_fields[] = {map(text(1, "matchLabels")),
                                                list(object(2, "matchExpressions", requirement))};

constexpr FieldShape node_term_fields[] = {list(object(1, "matchExpressions", requirement)),
                                           list(object(2, "matchFields", requirement))};
constexpr MessageShape node_term{node_term_fields};
constexpr FieldShape node_selector_fields[] = {list(object(1, "nodeSelectorTerms", node_term))};

}  // namespace

constexpr MessageShape object_metadata{metadata_fields};
constexpr MessageShape label_selector{label_selector_fields};
constexpr MessageShape node_selector{node_selector_fields};

namespace {

constexpr FieldShape node_affinity_fields[] = {
    object(1, "requiredDuringSchedulingIgnoredDuringExecution", node_selector)};
constexpr MessageShape node_affinity{node_affinity_fields};

constexpr FieldShape pod_term_fields[] = {
    object(1, "labelSelector", label_selector),
    list(text(2, "namespaces")),
    kept(text(3, "topologyKey")),
    object(4, "namespaceSelector", label_selector),
};
constexpr MessageShape pod_term{pod_term_fields};
constexpr FieldShape pod_affinity_fields[] = {
    list(object(1, "requiredDuringSchedulingIgnoredDuringExecution", pod_term))};
constexpr MessageShape pod_affinity{pod_affinity_fields};

constexpr FieldShape affinity_fields[] = {
    object(1, "nodeAffinity", node_affinity),
    object(2, "podAffinity", pod_affinity),
    object(3, "podAntiAffinity", pod_affinity),
};
constexpr MessageShape affinity{affinity_fields};

constexpr FieldShape toleration_fields[] = {text(1, "key"), text(2, "operator"), text(3, "value"), text(4, "effect")};
constexpr MessageShape toleration{toleration_fields};

constexpr FieldShape resources_fields[] = {map(quantity(1, "limits")), map(quantity(2, "requests"))};
constexpr MessageShape resources{resources_fields};

// Behind `hostNetwork` the API server has set `hostPort` already.
constexpr FieldShape port_fields[] = {number(2, "hostPort"), text(4, "protocol"), text(5, "hostIP")};
constexpr MessageShape port{port_fields};

constexpr FieldShape container_fields[] = {kept(text(1, "name")), list(object(6, "ports", port)),
                                           object(8, "resources", resources)};
constexpr MessageShape container{container_fields};
constexpr FieldShape init_container_fields[] = {kept(text(1, "name")), list(object(6, "ports", port)),
                                                object(8, "resources", resources), kept(text(24, "restartPolicy"))};
constexpr MessageShape init_container{init_container_fields};

constexpr FieldShape gate_fields[] = {kept(text(1, "name"))};
constexpr MessageShape gate{gate_fields};

constexpr FieldShape pod_claim_fields[] = {kept(text(1, "name")), kept(text(3, "resourceClaimName")),
                                           kept(text(4, "resourceClaimTemplateName"))};
constexpr MessageShape pod_claim{pod_claim_fields};

constexpr FieldShape workload_reference_fields[] = {kept(text(1, "name")), kept(text(2, "podGroup")),
                                                    text(3, "podGroupReplicaKey")};
constexpr MessageShape workload_reference{workload_reference_fields};

constexpr FieldShape scheduling_group_fields[] = {kept(text(1, "podGroupName"))};
constexpr MessageShape scheduling_group{scheduling_group_fields};

constexpr FieldShape spread_fields[] = {text(3, "whenUnsatisfiable")};
constexpr MessageShape spread{spread_fields};

constexpr FieldShape pod_spec_fields[] = {
    list(object(2, "containers", container)),
    kept(number(5, "activeDeadlineSeconds")),
    map(text(7, "nodeSelector")),
    text(10, "nodeName"),
    object(18, "affinity", affinity),
    text(19, "schedulerName"),
    list(object(20, "initContainers", init_container)),
    list(object(22, "tolerations", toleration)),
    kept(number(25, "priority")),
    kept(text(31, "preemptionPolicy")),
    map(quantity(32, "overhead")),
    list(object(33, "topologySpreadConstraints", spread)),
    list(object(38, "schedulingGates", gate)),
    list(object(39, "resourceClaims", pod_claim)),
    object(40, "resources", resources),
    object(42, "workloadRef", workload_reference),  // Up to 1.35.
    object(43, "schedulingGroup", scheduling_group),
};
constexpr MessageShape pod_spec{pod_spec_fields};

// The resources that a container was granted; limits take no room.
constexpr FieldShape granted_fields[] = {map(quantity(2, "requests"))};
constexpr MessageShape granted{granted_fields};
constexpr FieldShape terminated_fields[] = {time(6, "finishedAt")};
constexpr MessageShape terminated{terminated_fields};
constexpr FieldShape container_state_fields[] = {object(3, "terminated", terminated)};
constexpr MessageShape container_state{container_state_fields};
constexpr FieldShape container_status_fields[] = {
    kept(text(1, "name")),
    object(2, "state", container_state),
    map(quantity(10, "allocatedResources")),
    object(11, "resources", granted),
};
constexpr MessageShape container_status{container_status_fields};
constexpr FieldShape init_container_status_fields[] = {
    kept(text(1, "name")),
    map(quantity(10, "allocatedResources")),
    object(11, "resources", granted),
};
constexpr MessageShape init_container_status{init_container_status_fields};

constexpr FieldShape claim_status_fields[] = {kept(text(1, "name")), kept(text(2, "resourceClaimName"))};
constexpr MessageShape claim_status{claim_status_fields};

constexpr FieldShape pod_condition_fields[] = {kept(text(1, "type")), kept(text(2, "status")),
                                               time(4, "lastTransitionTime"), text(5, "reason")};
constexpr MessageShape pod_condition{pod_condition_fields};

constexpr FieldShape pod_status_fields[] = {
    text(1, "phase"),
    list(object(2, "conditions", pod_condition)),
    time(7, "startTime"),
    list(object(8, "containerStatuses", container_status)),
    list(object(10, "initContainerStatuses", init_container_status)),
    text(11, "nominatedNodeName"),
    list(object(15, "resourceClaimStatuses", claim_status)),
    map(quantity(19, "allocatedResources")),
    object(20, "resources", granted),
};
constexpr MessageShape pod_status{pod_status_fields};

constexpr FieldShape pod_fields[] = {
    object(1, "metadata", object_metadata),
    object(2, "spec", pod_spec),
    object(3, "status", pod_status),
};

constexpr FieldShape taint_fields[] = {kept(text(1, "key")), text(2, "value"), kept(text(3, "effect"))};
constexpr MessageShape taint{taint_fields};
constexpr FieldShape node_spec_fields[] = {flag(4, "unschedulable"), list(object(5, "taints", taint))};
constexpr MessageShape node_spec{node_spec_fields};
constexpr FieldShape condition_fields[] = {kept(text(1, "type")), kept(text(2, "status"))};
constexpr MessageShape condition{condition_fields};
constexpr FieldShape node_status_fields[] = {
    map(quantity(1, "capacity")),
    map(quantity(2, "allocatable")),
    list(object(4, "conditions", condition)),
};
constexpr MessageShape node_status{node_status_fields};
constexpr FieldShape node_fields[] = {
    object(1, "metadata", object_metadata),
    object(2, "spec", node_spec),
    object(3, "status", node_status),
};

constexpr FieldShape priority_class_fields[] = {
    object(1, "metadata", object_metadata),
    kept(number(2, "value")),
    flag(3, "globalDefault"),
    kept(text(5, "preemptionPolicy")),
};

constexpr FieldShape job_spec_fields[] = {kept(number(3, "activeDeadlineSeconds"))};
constexpr MessageShape job_spec{job_spec_fields};
constexpr FieldShape job_status_fields[] = {time(2, "startTime")};
constexpr MessageShape job_status{job_status_fields};
constexpr FieldShape job_fields[] = {
    object(1, "metadata", object_metadata),
    object(2, "spec", job_spec),
    object(3, "status", job_status),
};

constexpr FieldShape budget_spec_fields[] = {object(2, "selector", label_selector),
                                             text(4, "unhealthyPodEvictionPolicy")};
constexpr MessageShape budget_spec{budget_spec_fields};
constexpr FieldShape budget_status_fields[] = {number(1, "observedGeneration"), kept(number(3, "disruptionsAllowed")),
                                               kept(number(4, "currentHealthy")), kept(number(5, "desiredHealthy"))};
constexpr MessageShape budget_status{budget_status_fields};
constexpr FieldShape disruption_budget_fields[] = {
    object(1, "metadata", object_metadata),
    object(2, "spec", budget_spec),
    object(3, "status", budget_status),
};

}  // namespace

constexpr MessageShape pod_message{pod_fields};
constexpr MessageShape node_message{node_fields};
constexpr MessageShape priority_class_message{priority_class_fields};
constexpr MessageShape job_message{job_fields};
constexpr MessageShape disruption_budget_message{disruption_budget_fields};

}  // namespace echelon::kube

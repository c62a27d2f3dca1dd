// Devices and claims in resource.k8s.io/v1, and in v1beta2, which has the same numbers. v1beta1 has other numbers. It
// and v1alpha3 are read as JSON.

#include "kube/protobuf/core_shapes.hpp"

namespace echelon::kube {

using namespace rows;  // NOLINT(google-build-using-namespace): a file of rows.

namespace {

constexpr FieldShape expression_fields[] = {kept(text(1, "expression"))};
constexpr MessageShape expression{expression_fields};
constexpr FieldShape selector_fields[] = {object(1, "cel", expression)};
constexpr MessageShape selector{selector_fields};

constexpr FieldShape toleration_fields[] = {text(1, "key"), text(2, "operator"), text(3, "value"), text(4, "effect")};
constexpr MessageShape toleration{toleration_fields};

constexpr FieldShape exact_request_fields[] = {
    kept(text(1, "deviceClassName")), list(object(2, "selectors", selector)),
    text(3, "allocationMode"),        number(4, "count"),
    kept(flag(5, "adminAccess")),     list(object(6, "tolerations", toleration)),
    presence(7, "capacity"),          list(presence(8, "derivedAttributes")),
};
constexpr MessageShape exact_request{exact_request_fields};
constexpr FieldShape alternative_fields[] = {
    kept(text(1, "name")),
    kept(text(2, "deviceClassName")),
    list(object(3, "selectors", selector)),
    text(4, "allocationMode"),
    number(5, "count"),
    list(object(6, "tolerations", toleration)),
    presence(7, "capacity"),
    list(presence(8, "derivedAttributes")),
};
constexpr MessageShape alternative{alternative_fields};
constexpr FieldShape request_fields[] = {
    kept(text(1, "name")),
    object(2, "exactly", exact_request),
    list(object(3, "firstAvailable", alternative)),
};
constexpr MessageShape request{request_fields};
constexpr FieldShape constraint_fields[] = {list(text(1, "requests")), kept(text(2, "matchAttribute")),
                                            kept(text(3, "distinctAttribute"))};
constexpr MessageShape constraint{constraint_fields};
constexpr FieldShape claimed_fields[] = {list(object(1, "requests", request)),
                                         list(object(2, "constraints", constraint))};
constexpr MessageShape claimed{claimed_fields};
constexpr FieldShape claim_spec_fields[] = {object(1, "devices", claimed)};
constexpr MessageShape claim_spec{claim_spec_fields};

constexpr FieldShape result_fields[] = {
    kept(text(1, "request")), kept(text(2, "driver")),      kept(text(3, "pool")),
    kept(text(4, "device")),  kept(flag(5, "adminAccess")),
};
constexpr MessageShape result{result_fields};
constexpr FieldShape results_fields[] = {list(object(1, "results", result))};
constexpr MessageShape results{results_fields};
constexpr FieldShape allocation_fields[] = {object(1, "devices", results), object(3, "nodeSelector", node_selector)};
constexpr MessageShape allocation{allocation_fields};
constexpr FieldShape claim_status_fields[] = {object(1, "allocation", allocation)};
constexpr MessageShape claim_status{claim_status_fields};

constexpr FieldShape claim_fields[] = {
    object(1, "metadata", object_metadata),
    object(2, "spec", claim_spec),
    object(3, "status", claim_status),
};

constexpr FieldShape template_spec_fields[] = {object(2, "spec", claim_spec)};
constexpr MessageShape template_spec{template_spec_fields};
constexpr FieldShape template_fields[] = {object(1, "metadata", object_metadata), object(2, "spec", template_spec)};

constexpr FieldShape class_spec_fields[] = {list(object(1, "selectors", selector)),
                                            kept(text(4, "extendedResourceName"))};
constexpr MessageShape class_spec{class_spec_fields};
constexpr FieldShape class_fields[] = {object(1, "metadata", object_metadata), object(2, "spec", class_spec)};

constexpr FieldShape attribute_fields[] = {kept(number(2, "int")), kept(flag(3, "bool")), kept(text(4, "string")),
                                           kept(text(5, "version"))};
constexpr MessageShape attribute{attribute_fields};
constexpr FieldShape capacity_fields[] = {quantity(1, "value")};
constexpr MessageShape capacity{capacity_fields};
constexpr FieldShape device_taint_fields[] = {kept(text(1, "key")), text(2, "value"), kept(text(3, "effect"))};
constexpr MessageShape device_taint{device_taint_fields};
constexpr FieldShape counter_fields[] = {quantity(1, "value")};
constexpr MessageShape counter{counter_fields};
constexpr FieldShape consumption_fields[] = {kept(text(1, "counterSet")), map(object(2, "counters", counter))};
constexpr MessageShape consumption{consumption_fields};
constexpr FieldShape counter_set_fields[] = {kept(text(1, "name")), map(object(2, "counters", counter))};
constexpr MessageShape counter_set{counter_set_fields};
constexpr FieldShape device_fields[] = {
    kept(text(1, "name")),
    map(object(2, "attributes", attribute)),
    map(object(3, "capacity", capacity)),
    list(object(4, "consumesCounters", consumption)),
    kept(text(5, "nodeName")),
    presence(6, "nodeSelector"),
    kept(flag(7, "allNodes")),
    list(object(8, "taints", device_taint)),
    kept(flag(12, "allowMultipleAllocations")),
};
constexpr MessageShape device{device_fields};
constexpr FieldShape pool_fields[] = {kept(text(1, "name")), kept(number(2, "generation")),
                                      kept(number(3, "resourceSliceCount"))};
constexpr MessageShape pool{pool_fields};
constexpr FieldShape slice_spec_fields[] = {
    kept(text(1, "driver")),
    object(2, "pool", pool),
    kept(text(3, "nodeName")),
    presence(4, "nodeSelector"),
    kept(flag(5, "allNodes")),
    list(object(6, "devices", device)),
    list(object(8, "sharedCounters", counter_set)),
};
constexpr MessageShape slice_spec{slice_spec_fields};
constexpr FieldShape slice_fields[] = {object(1, "metadata", object_metadata), object(2, "spec", slice_spec)};

constexpr FieldShape taint_selector_fields[] = {kept(text(2, "driver")), kept(text(3, "pool")),
                                                kept(text(4, "device"))};
constexpr MessageShape taint_selector{taint_selector_fields};
constexpr FieldShape taint_rule_spec_fields[] = {object(1, "deviceSelector", taint_selector),
                                                 object(2, "taint", device_taint)};
constexpr MessageShape taint_rule_spec{taint_rule_spec_fields};
constexpr FieldShape taint_rule_fields[] = {object(1, "metadata", object_metadata), object(2, "spec", taint_rule_spec)};

}  // namespace

constexpr MessageShape device_class_message{class_fields};
constexpr MessageShape resource_slice_message{slice_fields};
constexpr MessageShape resource_claim_message{claim_fields};
constexpr MessageShape resource_claim_template_message{template_fields};
constexpr MessageShape device_taint_rule_message{taint_rule_fields};

}  // namespace echelon::kube

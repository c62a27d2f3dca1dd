#pragma once

// Which protobuf fields of pods, nodes and other built-in kinds are read, and which numbers do they have?
//
// Constant data. The numbers are those of k8s.io/api; they never change within a version.

#include "kube/protobuf/message_shape.hpp"

namespace echelon::kube {

extern const MessageShape object_metadata;
extern const MessageShape label_selector;
extern const MessageShape node_selector;
extern const MessageShape pod_message;
extern const MessageShape node_message;
extern const MessageShape priority_class_message;
extern const MessageShape job_message;
extern const MessageShape disruption_budget_message;
extern const MessageShape device_class_message;
extern const MessageShape resource_slice_message;
extern const MessageShape resource_claim_message;
extern const MessageShape resource_claim_template_message;
extern const MessageShape device_taint_rule_message;

}  // namespace echelon::kube

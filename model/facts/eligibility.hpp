#pragma once

// May a pod of this class go to this node at all? Usability, node selector, required node affinity and taints; never
// room.
//
// Pure. The answers agree with kube-scheduler's own filters; otherwise it would refuse planned nodes.

#include "model/facts/node_view.hpp"
#include "model/facts/pod_class.hpp"

#include <optional>
#include <string_view>

namespace echelon::model {

// True when the node is usable and the pod class is selected and tolerated there.
[[nodiscard]] bool may_host(const NodeView& node, const PodClass& pod_class);

// True if all requirements of the term hold; false for an empty term.
[[nodiscard]] bool matches(const NodeView& node, const NodeTerm& term);

// The parts, one by one.
[[nodiscard]] bool is_selected(const NodeView& node,
                               const PodClass& pod_class);  // Node selector and required affinity.
[[nodiscard]] bool is_tolerated(const NodeView& node,
                                const PodClass& pod_class);  // Taints with NoSchedule and NoExecute.

// True if a label meets the requirement; `value` is absent if the node lacks the key.
[[nodiscard]] bool holds(const Requirement& requirement, std::optional<std::string_view> value);

}  // namespace echelon::model

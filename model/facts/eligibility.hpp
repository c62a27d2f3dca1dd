#pragma once

// May a pod of this shape go to this node at all? Usability, node selector, required node affinity and taints; never
// room.
//
// Pure. The answers are those of kube-scheduler's own filters, or its verdict would contradict the plan.

#include "model/facts/node_view.hpp"
#include "model/facts/pod_class.hpp"

#include <optional>
#include <string_view>

namespace echelon::model {

// True when the node is usable and the shape is selected and tolerated there.
[[nodiscard]] bool may_host(const NodeView& node, const PodClass& shape);

// All of the term's requirements hold; never for an empty term.
[[nodiscard]] bool matches(const NodeView& node, const NodeTerm& term);

// The parts, one by one.
[[nodiscard]] bool is_selected(const NodeView& node, const PodClass& shape);   // Node selector and required affinity.
[[nodiscard]] bool is_tolerated(const NodeView& node, const PodClass& shape);  // Taints with NoSchedule and NoExecute.

// What a selector asks of one label; `value` is absent when the key isn't carried.
[[nodiscard]] bool holds(const Requirement& requirement, std::optional<std::string_view> value);

}  // namespace echelon::model

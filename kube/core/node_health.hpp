#pragma once

// Which nodes are unusable by the configuration, although kube-scheduler may offer them? Nodes with configured
// conditions or taints (Z38).
//
// Pure.

#include "base/result.hpp"
#include "kube/json/field.hpp"
#include "model/facts/node.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::kube {

struct NodeHealth {
    struct Condition {
        std::string type;
        std::string status;  // With this status the node is unusable.
    };
    struct Taint {
        std::string key;
        std::optional<std::string> value = {};  // Absent: any.
        std::optional<model::TaintEffect> effect = {};
    };
    std::vector<Condition> conditions;
    std::vector<Taint> taints;
};

// "TYPE" (status True) or "TYPE=STATUS"; "KEY", "KEY=VALUE", "KEY:EFFECT" or "KEY=VALUE:EFFECT". The error is the end
// of a sentence about a field.
[[nodiscard]] base::Result<NodeHealth::Condition> parse_condition(std::string_view text);
[[nodiscard]] base::Result<NodeHealth::Taint> parse_taint(std::string_view text);

// Makes the node not ready if a configured condition or taint applies, and keeps the reason (`unhealthy_because`).
// `object`: the Node.
void judge_health(const Field& object, const NodeHealth& health, model::Node& node);
// "condition GpuBroken"; empty: no configured condition or taint applies.
[[nodiscard]] std::string unhealthy_because(const model::Node& node);
// True for an artificial taint that only carries such a reason; no pod has to tolerate it.
[[nodiscard]] bool is_reason(const model::Taint& taint);

}  // namespace echelon::kube

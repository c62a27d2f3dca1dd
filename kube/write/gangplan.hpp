#pragma once

// The `GangPlan` object (echelon.sh/v1alpha1) as JSON, both ways: what the writer applies and what recovery reads back.
//
// Pure and thread-safe. The shape is that of charts/echelon/crds/gangplans.yaml; reading back what was written gives
// the same record, apart from an owner whose kind isn't known.

#include "base/result.hpp"
#include "model/facts/limits.hpp"
#include "model/facts/plan_record.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace echelon::kube {

inline constexpr std::string_view gangplan_api_version = "echelon.sh/v1alpha1";

// The condition `Placed` of a GangPlan, as far as its time of transition depends on it.
struct PlacedCondition {
    std::string status;  // "True" or "False".
    std::string since;   // lastTransitionTime, RFC 3339.

    bool operator==(const PlacedCondition&) const = default;
};

// Does the gang have a plan that stands? "True" while held, committed or bound.
[[nodiscard]] std::string_view placed_status(const model::PlanRecord& record);

// Identity, owner and spec: the body of an apply of the object itself.
[[nodiscard]] nlohmann::json gangplan_object(const model::PlanRecord& record);
// Identity and status: the body of an apply of the subresource `status`. `since` is RFC 3339.
[[nodiscard]] nlohmann::json gangplan_status(const model::PlanRecord& record, std::string_view since);
// The condition that stands in an object now, if it has a readable one.
[[nodiscard]] std::optional<PlacedCondition> placed_condition(const nlohmann::json& object);

// A GangPlan as the API server gives it. A status that was never written reads as pending at epoch 0, and
// one with more seats or groups than a gang may have not at all.
[[nodiscard]] base::Result<model::PlanRecord> decode_gangplan(const nlohmann::json& object,
                                                              const model::Limits& limits = {});

}  // namespace echelon::kube

#pragma once

// How is a gang's record written as a `GangPlan` (echelon.sh/v1alpha1) and read back? The writer applies it, recovery
// reads it.
//
// Pure and thread-safe. The schema is charts/echelon/crds/gangplans.yaml. A record that is written and read back is the
// same, except for an owner of unknown kind.

#include "base/result.hpp"
#include "model/facts/limits.hpp"
#include "model/facts/plan_record.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace echelon::kube {

inline constexpr std::string_view gangplan_api_version = "echelon.sh/v1alpha1";

// The part of the condition `Placed` that decides its lastTransitionTime.
struct PlacedCondition {
    std::string status;  // "True" or "False".
    std::string since;   // lastTransitionTime, RFC 3339.

    bool operator==(const PlacedCondition&) const = default;
};

// The status of the condition `Placed`: "True" while the gang is held, committed or bound, else "False".
[[nodiscard]] std::string_view placed_status(const model::PlanRecord& record);

// Identity, owner and spec: the body of an apply of the object itself.
[[nodiscard]] nlohmann::json gangplan_object(const model::PlanRecord& record);
// Identity and status: the body of an apply of the subresource `status`. `since` is RFC 3339.
[[nodiscard]] nlohmann::json gangplan_status(const model::PlanRecord& record, std::string_view since);
// The condition `Placed` of a GangPlan; nullopt if it has none, or an unreadable one.
[[nodiscard]] std::optional<PlacedCondition> placed_condition(const nlohmann::json& object);

// Reads a GangPlan from the API server. A missing status reads as pending at epoch 0. More seats, groups or victims
// than the limits allow are an error.
[[nodiscard]] base::Result<model::PlanRecord> decode_gangplan(const nlohmann::json& object,
                                                              const model::Limits& limits = {});

}  // namespace echelon::kube

#pragma once

// May a GangPlan replace one that this echelon has not written? (P4)
//
// A list from an old cache may lack the record of a clearing that an earlier run began. If that record were replaced,
// more pods might be evicted than it names.
//
// Pure.

#include "model/facts/plan_record.hpp"

namespace echelon::kube {

// `there`: the GangPlan in the API server. False: `record` was made without knowing `there`.
[[nodiscard]] bool may_replace(const model::PlanRecord& there, const model::PlanRecord& record);

}  // namespace echelon::kube

#pragma once

// May a GangPlan be written over one that this echelon has not written? (P4)
//
// A list from an old cache may lack the record of a clearing that an earlier run began. Written over, it would be lost,
// and more pods might be evicted than it names.
//
// Pure.

#include "model/facts/plan_record.hpp"

namespace echelon::kube {

// `there`: what the API server has. False: `record` was made without knowing it.
[[nodiscard]] bool may_replace(const model::PlanRecord& there, const model::PlanRecord& record);

}  // namespace echelon::kube

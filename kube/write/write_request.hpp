#pragma once

// Which HTTP request does a write become, and what does its answer mean? (B4, R10)
//
// Pure and thread-safe. Every write of a pod has its UID as a precondition: for another pod of the same name it is a
// conflict.

#include "kube/client/http_client.hpp"
#include "model/facts/plan_record.hpp"
#include "model/facts/write.hpp"

#include <string>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view field_manager = "echelon";

[[nodiscard]] HttpRequest request_of(const model::BindPod& write);
[[nodiscard]] HttpRequest request_of(const model::NominatePod& write);
[[nodiscard]] HttpRequest request_of(const model::UngatePod& write);
[[nodiscard]] HttpRequest request_of(const model::KickPod& write);
[[nodiscard]] HttpRequest request_of(const model::EvictPod& write);
[[nodiscard]] HttpRequest request_of(const model::ReadPod& write);
[[nodiscard]] HttpRequest request_of(const model::ReadGroup& write);
// Requires: a UID.
[[nodiscard]] HttpRequest request_of(const model::DeletePlan& write);
// `plan_uid`: of the GangPlan, if the event is about it and the UID is known. `reporter`: reportingInstance. `now`: RFC
// 3339 with microseconds.
[[nodiscard]] HttpRequest request_of(const model::EmitGangEvent& write, std::string_view plan_uid,
                                     std::string_view reporter, std::string_view now);
[[nodiscard]] HttpRequest request_of(const model::WritePlacementScore& write);
// `now`: RFC 3339, in seconds.
[[nodiscard]] HttpRequest request_of(const model::WriteGroupCondition& write, std::string_view now);
// A plan takes two requests: the object, then its status. `version`: the resourceVersion that the object must still
// have; empty: any.
[[nodiscard]] HttpRequest apply_plan(const model::PlanRecord& record);
[[nodiscard]] HttpRequest apply_plan_status(const model::PlanRecord& record, std::string_view since,
                                            std::string_view version = {});

// The outcome of an answer. `action` begins its sentence: "binding default/train-0 to n1".
[[nodiscard]] model::Outcome outcome_of(std::string_view action, const HttpAnswer& answer);
// The outcome of writing a GangPlan.
[[nodiscard]] model::Outcome outcome_of_record(const model::ApplyPlan& write, const HttpAnswer& answer);
// The outcome of an eviction. If a PodDisruptionBudget forbids it: `rejected`, with the name of the budget.
[[nodiscard]] model::Outcome outcome_of_eviction(const model::EvictPod& write, const HttpAnswer& answer);
// The outcome of reading a pod, with its node and UID.
[[nodiscard]] model::Outcome outcome_of_read(const model::ReadPod& write, const HttpAnswer& answer);
// The outcome of reading a group, with its UID and generation.
[[nodiscard]] model::Outcome outcome_of_read(const model::ReadGroup& write, const HttpAnswer& answer);
// "binding default/train-0 to n1": the action of a write, for sentences.
[[nodiscard]] std::string action_of(const model::Write& write);

}  // namespace echelon::kube

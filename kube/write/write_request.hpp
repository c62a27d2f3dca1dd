#pragma once

// A write as an HTTP request, and its answer as an outcome (B4, R10).
//
// Pure and thread-safe. Everything about a pod names its UID, as a precondition: meant for an earlier pod of the same
// name it is a conflict.

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
// `plan_uid`: of the GangPlan, if the event is about that and it is known. `reporter`: which echelon tells.
// `now`: RFC 3339 with microseconds.
[[nodiscard]] HttpRequest request_of(const model::EmitGangEvent& write, std::string_view plan_uid,
                                     std::string_view reporter, std::string_view now);
[[nodiscard]] HttpRequest request_of(const model::WritePlacementScore& write);
// `now`: RFC 3339, in seconds.
[[nodiscard]] HttpRequest request_of(const model::WriteGroupCondition& write, std::string_view now);
// A plan takes two: the object, then its status. `version`: of the object that the status must not have changed since;
// empty: whatever it says.
[[nodiscard]] HttpRequest apply_plan(const model::PlanRecord& record);
[[nodiscard]] HttpRequest apply_plan_status(const model::PlanRecord& record, std::string_view since,
                                            std::string_view version = {});

// What an answer means; `deed` begins the sentence: "binding default/train-0 to n1".
[[nodiscard]] model::Outcome outcome_of(std::string_view deed, const HttpAnswer& answer);
// The same for an eviction: one that a disruption budget doesn't allow is rejected, with the name of the budget.
[[nodiscard]] model::Outcome outcome_of_eviction(const model::EvictPod& write, const HttpAnswer& answer);
// The same for a pod that was read: node and UID out of the body.
[[nodiscard]] model::Outcome outcome_of_read(const model::ReadPod& write, const HttpAnswer& answer);
// The same for a group that was read: UID and generation.
[[nodiscard]] model::Outcome outcome_of_read(const model::ReadGroup& write, const HttpAnswer& answer);
// "binding default/train-0 to n1", "patching ..." for sentences.
[[nodiscard]] std::string verb_of(const model::Write& write);

}  // namespace echelon::kube

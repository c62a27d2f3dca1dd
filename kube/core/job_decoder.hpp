#pragma once

// When does a Job (`batch`) end all its pods? Pure.

#include "kube/json/field.hpp"
#include "model/facts/event.hpp"

namespace echelon::kube {

inline constexpr std::string_view batch_group = "batch";

// `activeDeadlineSeconds` counts from `status.startTime`, which a suspended Job lacks.
[[nodiscard]] model::JobSeen read_job(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube

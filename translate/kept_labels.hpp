#pragma once

// Are the translated pods of a gang really members of the written groups? They keep the labels and annotations of their
// workload controller, which may have precedence over those of the target, or add levels.
//
// Pure and thread-safe.

#include "model/gang/gang_facts.hpp"
#include "translate/translation.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace echelon::translate {

// `written`: the pods of the translation in its order, as `repatched_pod` makes them. Empty: each is a member of
// the written group, or the labels still define the gang as it is in `facts`. Else a sentence about a pod, without a
// period.
[[nodiscard]] std::string fault_of_kept_labels(const model::GangFacts& facts, const Translation& translation,
                                               const std::vector<nlohmann::json>& written);

}  // namespace echelon::translate

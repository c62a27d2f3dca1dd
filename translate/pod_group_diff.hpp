#pragma once

// What has to be done so that the PodGroups of a PodGang are as they should be?
//
// Pure and thread-safe. Of a PodGroup only what we write is compared and changed: labels, annotations, finalizers and
// fields of others stay.

#include "model/facts/group.hpp"
#include "translate/translation.hpp"

#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

namespace echelon::translate {

// The PodGroups of a PodGang by itself: of its pods nothing is known.
[[nodiscard]] Translation pod_groups_of(const model::GroupSet& pod_gang, const TranslationOptions& options,
                                        const TranslationTarget& known);

// The object's controller is the one of this UID.
[[nodiscard]] bool is_controlled_by(const nlohmann::json& object, std::string_view uid);

// A merge patch that makes `existing` what is wanted, for this version of it alone; nullopt: it is.
[[nodiscard]] std::optional<nlohmann::json> pod_group_patch(const nlohmann::json& existing,
                                                            const nlohmann::json& wanted);

}  // namespace echelon::translate

#pragma once

// Which PodGroups must a PodGang have, and which patch brings an existing one there?
//
// Pure and thread-safe. Only the fields that echelon writes are compared and changed; labels, annotations, finalizers
// and fields of others stay.

#include "model/facts/group.hpp"
#include "translate/translation.hpp"

#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

namespace echelon::translate {

// The PodGroups that a PodGang must have, found without its pods.
[[nodiscard]] Translation pod_groups_of(const model::GroupSet& pod_gang, const TranslationOptions& options,
                                        const TranslationTarget& known);

// True if the controller in the object's ownerReferences has this UID.
[[nodiscard]] bool is_controlled_by(const nlohmann::json& object, std::string_view uid);

// A merge patch from `existing` to `wanted`, with the resourceVersion as a precondition; nullopt: they agree.
[[nodiscard]] std::optional<nlohmann::json> pod_group_patch(const nlohmann::json& existing,
                                                            const nlohmann::json& wanted);

}  // namespace echelon::translate

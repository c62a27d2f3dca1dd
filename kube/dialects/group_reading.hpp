#pragma once

// What do group objects of all dialects have in common, and how are their annotations read?
//
// Pure. Wrong types are faults of the object (`FieldFault`); everything else that is wrong goes into `problem`, which
// makes the gang Invalid. A constraint that can't be read is never dropped (A3, A8).

#include "kube/json/field.hpp"
#include "model/facts/group.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace echelon::kube {

// For a map by level.
inline constexpr Bound level_bound{16, "levels that a topology may have"};

// Sets UID, apiVersion, kind, generation and creation time.
void read_identity(const Field& object, const Metadata& metadata, model::Group& group);
// A group that only adds to what others declare about `key`.
[[nodiscard]] model::Group supplement_to(model::GroupKey key);
// Sets the group's problem, unless it has one.
void complain(model::Group& group, std::string sentence);
// True if the text may be a part of a group's name, which "/" separates: a label value.
[[nodiscard]] bool is_part_of_name(std::string_view text);
// True if the text may name a level: a label key, or `model::clique_cluster_level`.
[[nodiscard]] bool is_level_key(std::string_view text);
// The level in an annotation. Nullopt: it is absent; or it can't be read, and the group gets a problem. `is_key`:
// is_label_key where another controller makes pod affinity of it.
[[nodiscard]] std::optional<std::string> level_in(const Field& annotations, std::string_view key, model::Group& group,
                                                  bool (*is_key)(std::string_view) = is_level_key);
// Adds the required level in an annotation.
void read_required_level(const Field& annotations, std::string_view key, model::Group& group,
                         bool (*is_key)(std::string_view) = is_level_key);
// Adds the preferred level in an annotation. One that can't be read is ignored with a warning.
void read_preferred_level(const Field& annotations, std::string_view key, model::Group& group);
// An int32 from `least` on, in decimal digits; nullopt otherwise.
[[nodiscard]] std::optional<std::int64_t> count_in(std::string_view text, std::int64_t least = 1);
// The number of pods in an annotation or label. Nullopt: it is absent; or it can't be read or exceeds limits.members,
// and then the group gets a problem.
[[nodiscard]] std::optional<std::int64_t> read_count(const Field& texts, std::string_view key, std::int64_t least,
                                                     model::Group& group);

// `scheduleTimeoutSeconds` of a PodGroup: how long seats are held for their pods. 0 and negative values are ignored.
void read_timeout(const Field& spec, model::Group& group);
// Sets the time-out. One beyond limits.longestHold is reduced to that with a warning, since it is valid for the other
// scheduler. `stated_by`: the field or annotation, for the warning.
void set_timeout(std::int64_t seconds, std::string_view stated_by, const model::Limits& limits, model::Group& group);

}  // namespace echelon::kube

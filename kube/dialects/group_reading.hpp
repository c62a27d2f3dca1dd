#pragma once

// What do group objects of every dialect have in common, and how are their annotations read?
//
// Pure. What makes a group wrong beyond the types of its fields goes into its `problem`, the first of which is shown:
// a promise that can't be read is never dropped (A3, A8).

#include "kube/json/field.hpp"
#include "model/facts/group.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace echelon::kube {

inline constexpr std::int64_t most_int32 = std::numeric_limits<std::int32_t>::max();

// UID, version, kind, generation and age.
void read_identity(const Field& object, const Metadata& metadata, model::Group& group);
// The first problem is the one that is shown.
void complain(model::Group& group, std::string sentence);
// The name of a level, as far as its form goes: a label key, or the one of ours that isn't one.
[[nodiscard]] bool is_level_key(std::string_view text);
// A whole number from `least` on, in digits only; nullopt: it isn't one.
[[nodiscard]] std::optional<std::int64_t> count_in(std::string_view text, std::int64_t least = 1);
// An annotation or label that holds such a number of pods; nullopt when it is absent or, with a complaint, when it
// can't be read or is beyond the bound of members.
[[nodiscard]] std::optional<std::int64_t> read_count(const Field& texts, std::string_view key, std::int64_t least,
                                                     model::Group& group);

// Seconds that held seats wait for their pods, as a PodGroup's `scheduleTimeoutSeconds` says. What isn't above 0 states
// nothing: no seat could be reached in no time.
void read_timeout(const Field& spec, model::Group& group);
// The time-out that a field or annotation of another scheduler's dialect states. Beyond the bound it is the bound, with
// a warning: the object is right there, and its owner may not be able to change it.
void set_timeout(std::int64_t seconds, std::string_view stated_by, const model::Limits& limits, model::Group& group);

}  // namespace echelon::kube

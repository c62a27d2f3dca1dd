#pragma once

// Are there enough members for every minimum of the tree? If not, the gang is Incomplete (M5).
//
// Pure. A basic leaf without pods makes no gang wait, but doesn't count for its parent either (N5).

#include "model/gang/gang_facts.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace echelon::model {

// One sentence without a period that names the group and what it lacks; empty: the gang may be planned.
[[nodiscard]] std::string readiness_problem(const GangFacts& facts);

// True if every minimum of the tree is met by members that are bound or have finished.
[[nodiscard]] bool is_minimum_bound(const GangFacts& facts);

// How many members, at least, are missing from all that the tree declares? nullopt: some group is not known yet. Of a
// leaf that doesn't state its size the minimum is declared; of one with late members the start set, until more come.
[[nodiscard]] std::optional<std::int64_t> missing_members(const GangFacts& facts);
// True if each leaf states its size and has no more members, so that no other member is to be expected.
[[nodiscard]] bool has_stated_size(const GangFacts& facts);

}  // namespace echelon::model

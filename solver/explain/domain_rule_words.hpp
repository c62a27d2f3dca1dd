#pragma once

// How is a refusal said when a rule counts what is in each domain of a level: a limit (D16) or a pair (D17)?
//
// For refusals, after the search.

#include "solver/explain/shortage.hpp"
#include "solver/search/search_context.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace echelon::solver {

// A limit of a group alone leaves it too little room, counted in its pods or groups.
struct LimitShortage {
    model::LevelRef level;
    std::int64_t most = 0;
    std::int64_t needed = 0;
    std::int64_t fits = 0;
    ScopeId best = everywhere;
};

// Nullopt: by count there is enough, or it can't be counted. Requires: `scopes` are where the group may go.
[[nodiscard]] std::optional<LimitShortage> short_of_limit(SearchContext& attempt, const Shortage& shortage,
                                                          std::uint32_t group, std::span<const ScopeId> scopes,
                                                          SearchBudget& steps);

// " with at most 2 in each example.com/rack": of the group, else of the first that has a rule. Empty: none has.
[[nodiscard]] std::string domain_rules_in_words(const SearchContext& attempt, std::uint32_t group);

}  // namespace echelon::solver

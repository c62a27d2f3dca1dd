#pragma once

// How does a refusal name a rule that counts what each domain of a level holds: a limit (D16) or a pair (D17)?
//
// For refusals, after the search.

#include "solver/explain/shortage.hpp"
#include "solver/search/search_context.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace echelon::solver {

// A limit leaves a group too little room. All numbers are pods of a leaf, or children of a composite.
struct LimitShortage {
    model::LevelRef level;
    std::int64_t most = 0;
    std::int64_t needed = 0;
    std::int64_t fits = 0;
    ScopeId best = everywhere;
};

// The first limit of the group that counting proves too strict. Nullopt: there is none, or counting says nothing.
// `scopes`: where the group may go.
[[nodiscard]] std::optional<LimitShortage> short_of_limit(SearchContext& context, const Shortage& shortage,
                                                          std::uint32_t group, std::span<const ScopeId> scopes,
                                                          SearchBudget& budget);

// " with at most 2 in each example.com/rack". Names the rules of the group, else those of the first group that has any.
// Empty: none.
[[nodiscard]] std::string domain_rules_in_words(const SearchContext& context, std::uint32_t group);

}  // namespace echelon::solver

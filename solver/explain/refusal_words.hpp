#pragma once

// In which words does a refusal say why a group finds no place?
//
// One function for each sentence; the diagnosis in refusal.cpp chooses among them. A sentence has no trailing period,
// and clips long names. Single-threaded, belongs to one refusal.

#include "model/gang/gang.hpp"
#include "solver/explain/shortage.hpp"
#include "solver/plan.hpp"
#include "solver/search/search_context.hpp"

#include <cstdint>
#include <string>

namespace echelon::solver {

// What a group needs, and how much of that one domain has room for by count.
struct CountedRoom {
    std::int64_t needed = 0;
    std::int64_t fits = 0;
    std::string how = {};         // A condition on the seats, in words.
    bool counts_groups = false;   // True: children of the group are counted, not seats.
    bool is_for_resource = true;  // False: the sentence names no scarce resource.
    bool is_exact = true;         // False: fewer may fit, since the pods are of several sizes.
};

class RefusalWords {
public:
    // `reason`: what was proved. Requires: the references outlive it.
    RefusalWords(const SearchContext& context, const Shortage& shortage, model::Reason reason)
        : context_(context), shortage_(shortage), reason_(reason) {}

    // The gang doesn't fit, and no part of it is to blame.
    [[nodiscard]] Refusal fits_nowhere() const;
    // The reason is `incomplete` then.
    [[nodiscard]] Refusal too_few_members(std::uint32_t group) const;
    // Bound members break a level that the group requires (D8).
    [[nodiscard]] Refusal split(std::uint32_t group, model::LevelRef level) const;
    // `outer` has no domain in which the group may be.
    [[nodiscard]] Refusal no_domain(std::uint32_t group, ScopeId outer) const;
    // Each child has room in `best`, but not all of them together.
    [[nodiscard]] Refusal not_at_once(std::uint32_t group, ScopeId best) const;
    // `best` has the room by count, but no packing was found.
    [[nodiscard]] Refusal unpackable(std::uint32_t group, ScopeId best) const;
    // All `pods` that wait are fewer than the multiples that the minimum takes (D13).
    [[nodiscard]] Refusal not_in_multiples(std::uint32_t group, model::LevelRef level, std::int64_t multiple,
                                           std::int64_t pods) const;
    // `best`: the domain of `outer` with most room.
    [[nodiscard]] Refusal short_by_count(std::uint32_t group, const CountedRoom& count, ScopeId best,
                                         ScopeId outer) const;

    // " with at most 2 in each example.com/rack" (D16).
    [[nodiscard]] std::string within_limit(std::int64_t most, model::LevelRef level) const;
    // " in multiples of 2 for each example.com/rack" (D13).
    [[nodiscard]] std::string in_multiples(std::int64_t multiple, model::LevelRef level) const;

private:
    [[nodiscard]] const model::GangGroup& group_at(std::uint32_t group) const { return context_.gang.groups[group]; }
    [[nodiscard]] const GroupDemand& demand_for(std::uint32_t group) const { return context_.demand.groups[group]; }
    [[nodiscard]] std::string name_of(std::uint32_t group) const;
    [[nodiscard]] const std::string& key_of(model::LevelRef level) const;
    [[nodiscard]] std::string path_of(ScopeId scope) const;
    // The key of the narrowest level that the group requires; empty: none.
    [[nodiscard]] std::string level_of(std::uint32_t group) const;
    // "cpu; kept apart by pod anti-affinity"
    [[nodiscard]] std::string cause_in(ScopeId best, std::uint32_t group) const;
    [[nodiscard]] Refusal refuse(std::uint32_t group, std::string level, std::string sentence) const;

    const SearchContext& context_;
    const Shortage& shortage_;
    model::Reason reason_;
};

// The search of a gang ended without a plan and without a proof.
[[nodiscard]] Refusal unproved(const model::Gang& gang);
// The gang is too large to be searched.
[[nodiscard]] Refusal unsearched(const model::Gang& gang);

}  // namespace echelon::solver

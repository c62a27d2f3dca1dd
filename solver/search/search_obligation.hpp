#pragma once

// What is left to do in a search? A linked list: one obligation, and those after it. Pure.

#include "solver/packing/hash.hpp"
#include "solver/search/search.hpp"

#include <cstdint>

namespace echelon::solver {

// All branches of the search share the tail of the list.
struct Search::Obligation {
    enum class Kind : std::uint8_t { place, children, multiples };
    Kind kind = Kind::place;
    std::uint32_t group = 0;
    ScopeId scope = everywhere;  // place: of the parent; children, multiples: of the group.
    std::uint32_t position = 0;  // children: the next one.
    std::int64_t count = 0;      // children: satisfied so far; multiples: still to place.
    const Obligation* next = nullptr;
    std::uint64_t hash = 0;  // Of this one and all after it.

    Obligation(Kind kind_of, std::uint32_t group_of, ScopeId scope_of, std::uint32_t at, std::int64_t number,
               const Obligation* after)
        : kind(kind_of), group(group_of), scope(scope_of), position(at), count(number), next(after) {
        hash = mix(next == nullptr ? 1 : next->hash);
        hash = mix(hash ^ ((std::uint64_t{group} << 32U) | scope));
        hash = mix(hash ^ ((std::uint64_t{position} << 32U) | static_cast<std::uint64_t>(count)));
    }
};

}  // namespace echelon::solver

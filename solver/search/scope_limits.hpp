#pragma once

// May one more child of a group with a limit (D16) go into a scope?
//
// Only for limits that scopes can express: each child must be in one domain of the level, and takes at least one seat.
// Distribution keeps all other limits. Belongs to one partial plan, single-threaded.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/packing/demand.hpp"
#include "solver/packing/scopes.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace echelon::solver {

class ScopeLimits {
public:
    // Requires: the arguments outlive it.
    ScopeLimits(const model::Snapshot& snapshot, const model::Gang& gang, const Demand& demand, const Scopes& scopes);

    // True if scopes can express all limits of the gang.
    [[nodiscard]] static bool are_searchable(const model::Snapshot& snapshot, const model::Gang& gang,
                                             const Demand& demand);

    [[nodiscard]] bool exist() const { return !limits_.empty(); }
    [[nodiscard]] bool admits(std::uint32_t group, ScopeId scope) const;
    // Counts a placed group; `sign` -1 takes it back. Requires: a scope that the limits admit, or `no_scope`.
    void count(std::uint32_t group, ScopeId scope, std::int64_t sign);
    // Equal if every domain has the same count.
    [[nodiscard]] std::uint64_t hash() const { return hash_; }

    // How many of `most` groups like this one may go into a scope. `spent` counts those that earlier scopes of the same
    // domains took, along one tree: domains of two trees cross, and a sum over scopes in some order is then too low.
    using Spent = std::map<std::pair<std::size_t, std::uint32_t>, std::int64_t>;
    [[nodiscard]] std::int64_t most(std::uint32_t group, ScopeId scope, std::int64_t most, Spent& spent) const;

private:
    struct Limit {
        model::LevelRef level;
        std::int64_t most = 0;
        std::vector<std::int64_t> counts;  // [domain] children, bound ones included.
    };

    [[nodiscard]] std::uint32_t domain_of(const Limit& limit, ScopeId scope) const;
    [[nodiscard]] const std::vector<std::size_t>& limits_on(std::uint32_t group) const;

    const model::Snapshot& snapshot_;
    const Scopes& scopes_;
    std::vector<Limit> limits_;
    std::map<std::uint32_t, std::vector<std::size_t>>
        limits_on_;  // By child; a child with bound members is counted already.
    std::uint64_t hash_ = 0;
};

}  // namespace echelon::solver

#pragma once

// May one more child of a group with a limit (D16) go into a scope?
//
// Only for limits that scopes can tell: each child is in one domain of the level, and takes a seat wherever it is
// placed. Belongs to one partial plan, single-threaded.

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
    ScopeLimits(const model::Snapshot& snapshot, const model::Gang& gang, const Demand& needs, const Scopes& scopes);

    // Scopes can tell all limits of the gang.
    [[nodiscard]] static bool are_searchable(const model::Snapshot& snapshot, const model::Gang& gang,
                                             const Demand& needs);

    [[nodiscard]] bool exist() const { return !limits_.empty(); }
    [[nodiscard]] bool admits(std::uint32_t group, ScopeId scope) const;
    // Requires: a scope that holds the group, or none.
    void count(std::uint32_t group, ScopeId scope, std::int64_t sign);
    // Equal where the same number is in each domain.
    [[nodiscard]] std::uint64_t hash() const { return hash_; }

    // Of groups like this one, how many of `most` may go into a scope beside those that went into others before.
    using Spent = std::map<std::pair<std::size_t, std::uint32_t>, std::int64_t>;
    [[nodiscard]] std::int64_t most(std::uint32_t group, ScopeId scope, std::int64_t most, Spent& spent) const;

private:
    struct Limit {
        model::LevelRef level;
        std::int64_t most = 0;
        std::vector<std::int64_t> there;  // [domain] children, bound ones included.
    };

    [[nodiscard]] std::uint32_t domain_of(const Limit& limit, ScopeId scope) const;
    [[nodiscard]] const std::vector<std::size_t>& limits_on(std::uint32_t group) const;

    const model::Snapshot& snapshot_;
    const Scopes& scopes_;
    std::vector<Limit> limits_;
    std::map<std::uint32_t, std::vector<std::size_t>> limits_on_;  // By child that isn't counted yet.
    std::uint64_t hash_ = 0;
};

}  // namespace echelon::solver

#pragma once

// Where may a group go? Lists the scopes that its required levels allow inside the parent's scope (D1 to D8).
//
// A scope is the whole cluster, one domain, or the overlap of domains of several trees. Scopes are numbered as they are
// met; equal scopes have equal numbers. Single-threaded, belongs to one search.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/packing/demand.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace echelon::solver {

using ScopeId = std::uint32_t;
inline constexpr ScopeId everywhere = 0;

// One domain, by its indexes.
struct Place {
    model::LevelRef level;
    std::uint32_t domain = 0;

    auto operator<=>(const Place&) const = default;
};
[[nodiscard]] std::string path_of(const model::Snapshot& snapshot, const Place& place);

struct Scope {
    std::vector<Place> places;  // The narrowest domain in each tree, by tree; empty: the whole cluster.
    std::vector<Place> within;  // Every domain of a used level that holds the scope, itself included, widest first.
};

class Scopes {
public:
    Scopes(const model::Snapshot& snapshot, const model::Gang& gang, const Demand& demand);

    // Where `group` may go inside `outer`, in path order. Bound members leave at most one.
    const std::vector<ScopeId>& candidates(std::uint32_t group, ScopeId outer);
    // Every domain of `level` inside `outer`, in path order.
    [[nodiscard]] std::vector<ScopeId> inside(model::LevelRef level, ScopeId outer);
    // Treats one more level of a group as required; `nullopt` undoes it.
    void require_also(std::uint32_t group, std::optional<model::LevelRef> level);

    [[nodiscard]] const Scope& operator[](ScopeId scope) const { return scopes_[scope]; }
    [[nodiscard]] const std::vector<model::LevelRef>& used_levels() const { return used_levels_; }
    [[nodiscard]] bool is_used(model::LevelRef level) const;
    // True when every scope is the cluster or a domain of one and the same tree: two of them are nested or apart.
    [[nodiscard]] bool is_nested() const { return is_nested_; }
    // The tree whose order lists the nodes of the scope.
    [[nodiscard]] std::uint32_t tree_of(ScopeId scope) const;
    // Positions in the order of that tree; with several places some of these nodes are outside the scope.
    [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> range_of(ScopeId scope) const;
    [[nodiscard]] bool holds(ScopeId scope, model::NodeId node) const;
    // False only if no node is in both.
    [[nodiscard]] bool may_overlap(ScopeId one, ScopeId other) const;
    [[nodiscard]] std::vector<model::NodeId> nodes_of(ScopeId scope) const;
    // Domains of `level` inside a range of the level's tree, in that tree's order.
    [[nodiscard]] std::vector<std::uint32_t> domains_in(model::LevelRef level, std::uint32_t first,
                                                        std::uint32_t last) const;

private:
    std::vector<ScopeId> enumerate(std::uint32_t group, ScopeId outer);
    std::vector<ScopeId> enumerate_nested(model::LevelRef narrowest, std::span<const model::LevelRef> levels,
                                          ScopeId outer);
    std::vector<ScopeId> enumerate_crossed(std::span<const model::LevelRef> levels, ScopeId outer);
    [[nodiscard]] bool obeys(std::span<const model::LevelRef> levels, model::NodeId node) const;
    ScopeId intern(std::vector<Place> places);
    [[nodiscard]] std::vector<model::LevelRef> levels_of(std::uint32_t group) const;

    const model::Snapshot& snapshot_;
    const model::Gang& gang_;
    const Demand& demand_;
    std::vector<model::LevelRef> used_levels_;
    std::vector<std::vector<model::LevelRef>> added_levels_;                   // [group]
    std::map<std::vector<model::LevelRef>, std::uint32_t> level_set_numbers_;  // Sets of levels, numbered.
    std::vector<Scope> scopes_;
    std::map<model::LevelRef, std::vector<ScopeId>> tables_;  // Scopes of one domain: [domain]; `everywhere`: none yet.
    std::map<std::vector<Place>, ScopeId> numbers_;           // Of all other scopes.
    // By set of levels or group, and outer scope.
    std::map<std::pair<std::uint64_t, ScopeId>, std::vector<ScopeId>> candidates_;
    bool is_nested_ = true;
};

}  // namespace echelon::solver

#pragma once

// Which of two plans is better? More seats first (O2), then fewer domains at preferred levels (O3), then children in
// proportion there (D18), then larger free domains (O4).
//
// O3 counts the domains that the members of a group use, bound ones included, at its preferred level and every wider
// one. A node without a label of the level counts as two domains, since its members share a domain with no others. O4
// sorts the domains of a level of the first tree by how much of the scarcest resource is free, largest first. At the
// first difference the larger one wins. Pure and immutable.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/packing/demand.hpp"
#include "solver/packing/packing.hpp"
#include "solver/packing/slots.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace echelon::solver {

// A preferred level that has an effect (D10), and its group. Every wider level of that tree counts too.
struct PreferredLevel {
    std::uint32_t group = 0;
    model::LevelRef level;
};

// What a plan takes of the scarcest resource in one domain.
struct Taken {
    std::uint32_t domain = 0;
    std::int64_t amount = 0;

    auto operator<=>(const Taken&) const = default;
};

// A composite of several children that prefers a level: each domain should hold them in proportion (D18).
struct Roles {
    std::uint32_t group = 0;
    model::LevelRef level;
    std::vector<std::uint32_t> child_of;  // [group - this->group] position of the child; nowhere: not below it.
    std::size_t children = 0;
    std::map<std::uint32_t, std::vector<std::int64_t>> bound_members;  // [domain][child]

    [[nodiscard]] bool has(std::uint32_t leaf) const {
        return leaf >= group && leaf - group < child_of.size() && child_of[leaf - group] != model::nowhere;
    }
};

struct Score {
    std::int64_t seats = 0;
    std::vector<std::int64_t> spread;       // O3: [depth] domains used, summed over groups.
    std::int64_t imbalance = 0;             // D18.
    std::vector<std::vector<Taken>> taken;  // O4: [depth of the first tree], by domain; untouched ones aren't listed.
};

class Objective {
public:
    // Requires: the arguments outlive it.
    Objective(const model::Snapshot& snapshot, const Room& room, const model::Gang& gang, const Demand& demand);

    [[nodiscard]] Score score_of(std::span<const PodBatch> batches, std::span<const Placement> placements) const;
    [[nodiscard]] bool is_better(const Score& one, const Score& other) const;
    // O4 at one level: 1 if the first leaves larger free domains, -1 if the second does, else 0. Requires: both sorted
    // by domain.
    [[nodiscard]] int compare_free_domains(std::uint32_t depth, std::span<const Taken> one,
                                           std::span<const Taken> other) const;

    [[nodiscard]] const std::vector<PreferredLevel>& preferences() const { return preferences_; }
    // Depths that O3 compares: as many as the narrowest preference has.
    [[nodiscard]] std::size_t depths() const { return depths_; }
    [[nodiscard]] std::size_t scarce() const { return scarce_; }
    // What is free of the scarcest resource between two positions of the first tree, before the plan.
    [[nodiscard]] std::int64_t free_between(std::uint32_t first, std::uint32_t last) const {
        return sums_[last] - sums_[first];
    }
    [[nodiscard]] bool is_below(std::uint32_t group, std::uint32_t above) const;
    [[nodiscard]] const std::vector<Roles>& roles() const { return roles_; }
    // D18: how far the domains are from the proportions of the whole; 0: in proportion. `members`: [domain][child].
    [[nodiscard]] static std::int64_t imbalance(const std::map<std::uint32_t, std::vector<std::int64_t>>& members);

private:
    void find_roles();
    void find_preferences();
    [[nodiscard]] std::int64_t domains_used(const PreferredLevel& preference, std::uint32_t depth,
                                            std::span<const model::NodeId> nodes) const;
    // Nodes of the members of a group, bound ones included, each once.
    [[nodiscard]] std::vector<model::NodeId> nodes_below(std::uint32_t group, std::span<const PodBatch> batches,
                                                         std::span<const Placement> placements) const;
    [[nodiscard]] std::int64_t imbalance_of(const Roles& roles, std::span<const PodBatch> batches,
                                            std::span<const Placement> placements) const;
    // O4: what a plan takes in the domains of one level of the first tree, by domain.
    [[nodiscard]] std::vector<Taken> taken_at(std::span<const std::uint32_t> domain_of,
                                              std::span<const PodBatch> batches,
                                              std::span<const Placement> placements) const;

    const model::Snapshot& snapshot_;
    const model::Gang& gang_;
    const Demand& demand_;
    std::size_t scarce_ = 0;
    Running sums_;  // Of the free amounts of the scarcest resource.
    std::vector<PreferredLevel> preferences_;
    std::vector<Roles> roles_;
    std::size_t depths_ = 0;
};

}  // namespace echelon::solver

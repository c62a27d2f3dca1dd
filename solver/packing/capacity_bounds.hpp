#pragma once

// Could these pods still fit into a domain, by counting alone? (W3)
//
// A bound is a sum over the nodes of a domain that no packing can exceed. There are four kinds:
//   - slots of one member class, which every pod that is at least as large also takes;
//   - nodes, for classes of which no two pods may share a node;
//   - the amount of a resource;
//   - pieces of a resource, each as large as one class needs.
// If pods would exceed a bound, they are proved not to fit. With one member class and nested domains the slots are
// exact: pods that pass can be packed. Single-threaded, belongs to one search.

#include "model/topology/snapshot.hpp"
#include "solver/packing/demand.hpp"
#include "solver/packing/scopes.hpp"
#include "solver/packing/search_budget.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace echelon::solver {

class CapacityBounds {
public:
    // `room` is the snapshot's own, or its capacity for the empty cluster.
    CapacityBounds(const model::Snapshot& snapshot, const Room& room, const Demand& demand, const Scopes& scopes);

    [[nodiscard]] std::size_t count() const { return sources_.size(); }
    // [bound] How much pods use of it. `pods`: [member class] number.
    [[nodiscard]] std::vector<std::int64_t> amounts(std::span<const std::int64_t> pods) const;
    [[nodiscard]] std::int64_t weight_of(std::size_t bound, std::uint32_t member_class) const {
        return weights_[member_class][bound];
    }
    // The index of the bound that counts the slots of this class.
    [[nodiscard]] static std::size_t slots_bound(std::uint32_t member_class) { return member_class; }
    // True if every pod of `large` takes a slot of `small`, wherever it sits.
    [[nodiscard]] bool covers(std::uint32_t large, std::uint32_t small) const {
        return weights_[large][slots_bound(small)] != 0;
    }

    // Pods of a class that one node holds if nothing is placed.
    [[nodiscard]] std::int64_t slots(std::uint32_t member_class, model::NodeId node) {
        return capacities(member_class)[node];
    }
    [[nodiscard]] std::int64_t capacity(std::size_t bound, ScopeId scope);
    [[nodiscard]] std::int64_t capacity(std::size_t bound, const Place& place);
    // Of the nodes between two positions in the order of a tree.
    [[nodiscard]] std::int64_t capacity(std::size_t bound, std::uint32_t tree, std::uint32_t first,
                                        std::uint32_t last) {
        const std::vector<std::int64_t>& running = sums(bound, tree);
        return running[last] - running[first];
    }
    // What is left in the scope and in every used domain around it.
    [[nodiscard]] std::int64_t remaining(std::size_t bound, ScopeId scope);
    // What is left in one domain of a used level, whatever is around it.
    [[nodiscard]] std::int64_t remaining(std::size_t bound, const Place& place);
    [[nodiscard]] bool is_unused(ScopeId scope) const;

    // True if what remains in the scope is enough. `amounts`: [bound].
    [[nodiscard]] bool admits(ScopeId scope, std::span<const std::int64_t> amounts);
    // `amounts`: [bound].
    void add_used(ScopeId scope, std::span<const std::int64_t> amounts, std::int64_t sign);

    // The work done since the last call.
    [[nodiscard]] Operations take_work() { return std::exchange(work_, 0); }
    // The work of computing the capacities of every bound once.
    [[nodiscard]] Operations setup_work() const;

private:
    // How the capacities of a bound are computed. They are computed on first use: most refusals need only a few.
    struct Source {
        enum class Kind : std::uint8_t { slots, exclusive, resource, pieces } kind = Kind::slots;
        model::PodClassId pod_class = 0;     // slots, pieces
        std::size_t resource = 0;            // resource, pieces
        std::vector<std::uint32_t> classes;  // slots, exclusive
    };
    void add_bound(std::span<const std::int64_t> weights, Source source);
    const std::vector<std::int64_t>& capacities(std::size_t bound);
    void add_slots(const Demand& demand);
    void add_exclusive(const Demand& demand);
    void add_resources(const Demand& demand);
    void add_pieces(const Demand& demand, std::size_t resource);
    const std::vector<std::int64_t>& sums(std::size_t bound, std::uint32_t tree);
    std::vector<std::int64_t>& used_in(model::LevelRef level);

    const model::Snapshot& snapshot_;
    const Room& room_;
    const Scopes& scopes_;
    const MemberConflicts& conflicts_;
    const InnerRoom& inside_;
    std::vector<std::vector<std::int64_t>> weights_;             // [class][bound]
    std::vector<Source> sources_;                                // [bound]
    std::vector<std::vector<std::int64_t>> capacities_;          // [bound][node]; an empty row is not computed yet.
    std::vector<std::uint8_t> eligible_;                         // [node] for any of the classes.
    std::vector<std::vector<std::vector<std::int64_t>>> sums_;   // [bound][tree][position]: running sums of capacities.
    std::vector<std::int64_t> used_everywhere_;                  // [bound]
    std::vector<std::vector<std::int64_t>> used_;                // [used level][domain * bounds + bound]
    std::vector<std::vector<std::int64_t>> crossed_capacities_;  // [scope][bound], of scopes with several places.
    mutable Operations work_ = 0;
};

}  // namespace echelon::solver

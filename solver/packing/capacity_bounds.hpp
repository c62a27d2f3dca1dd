#pragma once

// Could this many pods of these sizes still fit into a domain, by counting alone? (W3)
//
// A gauge is a sum that any packing must respect: so many pods at least as large as size z in so many slots for z; so
// much of a resource; so many z-sized pieces of a resource. One that would overflow proves that nothing fits. With a
// single size and nested domains the count is exact, so nothing that passes can fail to be packed. Single-threaded,
// belongs to one search.

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
    CapacityBounds(const model::Snapshot& snapshot, const Room& room, const Demand& needs, const Scopes& scopes);

    [[nodiscard]] std::size_t count() const { return weights_.size(); }
    // What `sizes` (pods per size) add to a gauge.
    [[nodiscard]] std::int64_t weight(std::size_t gauge, std::span<const std::int64_t> sizes) const;
    [[nodiscard]] std::int64_t weight_of(std::size_t gauge, std::uint32_t size) const { return weights_[gauge][size]; }
    // The gauge that counts slots of this size: cap is the number of slots.
    [[nodiscard]] static std::size_t slots_bound(std::uint32_t size) { return size; }
    // True if every pod of `large` takes a slot of `small`, wherever it sits.
    [[nodiscard]] bool covers(std::uint32_t large, std::uint32_t small) const {
        return weights_[slots_bound(small)][large] != 0;
    }

    // Pods of a size that one node holds, when nothing is placed.
    [[nodiscard]] std::int64_t slots(std::uint32_t size, model::NodeId node) { return caps(size)[node]; }
    [[nodiscard]] std::int64_t cap(std::size_t gauge, ScopeId scope);
    [[nodiscard]] std::int64_t cap(std::size_t gauge, const Place& place);
    // Between two positions of a tree.
    [[nodiscard]] std::int64_t cap(std::size_t gauge, std::uint32_t tree, std::uint32_t first, std::uint32_t last) {
        const std::vector<std::int64_t>& running = sums(gauge, tree);
        return running[last] - running[first];
    }
    // What is left in the scope and in every used domain around it.
    [[nodiscard]] std::int64_t rest(std::size_t gauge, ScopeId scope);
    // What is left in one domain of a used level, whatever is around it.
    [[nodiscard]] std::int64_t rest(std::size_t gauge, const Place& place);
    [[nodiscard]] bool is_untouched(ScopeId scope) const;

    // True when all of these pods could still go into the scope; `demand` is per gauge.
    [[nodiscard]] bool admits(ScopeId scope, std::span<const std::int64_t> demand);
    void load(ScopeId scope, std::span<const std::int64_t> sizes, std::int64_t sign);

    // What was done here since this was last asked.
    [[nodiscard]] Operations take_work() { return std::exchange(work_, 0); }
    // What it may cost to compute the caps of every gauge once.
    [[nodiscard]] Operations setup_work() const;

private:
    // Where the caps of a gauge come from. They are computed when they are first asked for: most refusals ask for few.
    struct Source {
        enum class Kind : std::uint8_t { slots, loners, resource, pieces } kind = Kind::slots;
        model::PodClassId shape = 0;       // slots, pieces
        std::size_t resource = 0;          // resource, pieces
        std::vector<std::uint32_t> sizes;  // slots, loners
    };
    void add_gauge(std::vector<std::int64_t> weights, Source source);
    const std::vector<std::int64_t>& caps(std::size_t gauge);
    void add_slots(const Demand& needs);
    void add_loners(const Demand& needs);
    void add_resources(const Demand& needs);
    void add_pieces(const Demand& needs, std::size_t resource);
    const std::vector<std::int64_t>& sums(std::size_t gauge, std::uint32_t tree);
    std::vector<std::int64_t>& used_in(model::LevelRef level);

    const model::Snapshot& snapshot_;
    const Room& room_;
    const Scopes& scopes_;
    const MemberConflicts& relations_;
    std::vector<std::vector<std::int64_t>> weights_;            // [gauge][size]
    std::vector<Source> sources_;                               // [gauge]
    std::vector<std::vector<std::int64_t>> caps_;               // [gauge][node]; none yet: not asked for.
    std::vector<std::uint8_t> eligible_;                        // [node] for any of the sizes.
    std::vector<std::vector<std::vector<std::int64_t>>> sums_;  // [gauge][tree][position]: running sums of caps.
    std::vector<std::int64_t> loads_everywhere_;                // [gauge]
    std::vector<std::vector<std::int64_t>> loads_;              // [used level][domain * gauges + gauge]
    std::vector<std::vector<std::int64_t>> crossed_caps_;       // [scope][gauge], of scopes with several places.
    mutable Operations work_ = 0;
};

}  // namespace echelon::solver

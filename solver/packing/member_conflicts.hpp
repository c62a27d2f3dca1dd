#pragma once

// Which member classes of a gang may not share a domain of pod anti-affinity, and which nodes are closed to a class?
// (D14)
//
// Empty, at no cost, if no term of pod (anti-)affinity applies to a waiting member. `topology_key` is the index of a
// topologyKey of such terms. Each label value has a number. Immutable; pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/packing/search_budget.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace echelon::solver {

class MemberConflicts {
public:
    MemberConflicts() = default;
    // `affinity_class_of_class`: [member class] its affinity class.
    MemberConflicts(const model::Snapshot& snapshot, const model::Gang& gang,
                    std::span<const std::uint32_t> affinity_class_of_class);

    // Members of one row have one affinity class, and therefore the same conflicts.
    using RowId = std::uint32_t;
    // Pods of a row and pods of `row` may not share a label value of the topology key.
    struct Conflict {
        std::uint32_t topology_key = 0;
        RowId row = 0;

        auto operator<=>(const Conflict&) const = default;
    };

    [[nodiscard]] bool exist() const { return !rows_.empty(); }
    // True if some conflict reaches beyond one node, so that counting node by node can't see it.
    [[nodiscard]] bool are_wide() const { return !wide_.empty(); }
    // True if some term applies to pods of the class.
    [[nodiscard]] bool touch(std::uint32_t member_class) const {
        return exist() && row(member_class).affinity_class != 0;
    }
    [[nodiscard]] bool are_of_one_affinity_class(std::uint32_t one, std::uint32_t other) const {
        return !exist() || row_of_[one] == row_of_[other];
    }
    // How many pods of the class the node may hold by these conflicts alone; `many`: no limit.
    static constexpr std::int64_t many = std::int64_t{1} << 40U;
    [[nodiscard]] std::int64_t limit(std::uint32_t member_class, model::NodeId node) const;
    [[nodiscard]] RowId row_of(std::uint32_t member_class) const { return row_of_[member_class]; }
    [[nodiscard]] std::size_t row_count() const { return rows_.size(); }
    // By topology key, and sorted.
    [[nodiscard]] std::span<const Conflict> conflicts_of(std::uint32_t member_class) const;
    // The wide topology keys in which two pods of the class may not share a label value.
    [[nodiscard]] std::span<const std::uint32_t> own_wide(std::uint32_t member_class) const;
    // Sets of member classes of which one node holds at most one pod in all. Adds the work that it did to `work`.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> exclusive_sets(Operations& work) const;
    // The number of the node's label value; `nowhere`: the node lacks the label.
    [[nodiscard]] std::uint32_t number(std::uint32_t topology_key, model::NodeId node) const {
        return gang_->affinity.topology_keys[topology_key].of[node];
    }
    // The topology keys in which members have conflicts.
    [[nodiscard]] const std::vector<std::uint32_t>& topology_keys() const { return topology_keys_; }
    // Those of them in which several nodes share a value.
    [[nodiscard]] const std::vector<std::uint32_t>& wide() const { return wide_; }

private:
    struct Row {
        std::uint32_t affinity_class = 0;
        std::vector<Conflict> conflicts;      // Sorted.
        std::vector<std::uint32_t> own;       // Topology keys in which the row is in conflict with itself.
        std::vector<std::uint32_t> own_wide;  // Those of them that are wide.
        std::vector<std::uint8_t> closed;     // [node]; empty: none.
    };
    [[nodiscard]] const Row& row(std::uint32_t member_class) const { return rows_[row_of_[member_class]]; }
    void list_conflicts(const model::AffinityConstraints& affinity,
                        const std::map<std::uint32_t, RowId>& row_of_affinity_class);
    void close_around_bound(const model::Gang& gang, std::size_t nodes);
    [[nodiscard]] std::vector<std::vector<std::uint8_t>> rows_that_never_meet() const;

    const model::Gang* gang_ = nullptr;
    std::vector<RowId> row_of_;  // [member class]
    std::vector<Row> rows_;      // In the order in which the member classes name them.
    std::vector<std::uint32_t> topology_keys_;
    std::vector<std::uint32_t> wide_;
};

// Which member classes do the pods at each label value keep out, while a packing grows?
class PlacedCounts {
public:
    explicit PlacedCounts(const MemberConflicts& conflicts) : conflicts_(&conflicts) {}

    void add(std::uint32_t member_class, model::NodeId node, std::int64_t count);
    // True if a pod that conflicts with this class is there already.
    [[nodiscard]] bool has_conflict_at(std::uint32_t member_class, model::NodeId node) const;
    // Equal only for nodes at which the same classes have conflicts.
    [[nodiscard]] std::uint64_t hash_at(model::NodeId node) const;

private:
    using Counts = std::vector<std::int64_t>;  // [row] Pods that conflict with it.

    [[nodiscard]] const Counts* counts_at(std::uint32_t topology_key, model::NodeId node) const;

    const MemberConflicts* conflicts_;
    std::unordered_map<std::uint64_t, Counts> there_;  // By topology key and number of the label value.
};

}  // namespace echelon::solver

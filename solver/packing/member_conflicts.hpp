#pragma once

// Which member classes of a gang may not share a domain of pod anti-affinity, and which nodes are closed to a class?
// (D14)
//
// Empty, at no cost, if no term of pod (anti-)affinity applies to a waiting member. `topology_key` is the index of a
// topologyKey of such terms. Each label value has a number. Immutable; pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace echelon::solver {

// Pods of a class and pods of `member_class` may not share a label value of the topology key.
struct Conflict {
    std::uint32_t topology_key = 0;
    std::uint32_t member_class = 0;
};

class MemberConflicts {
public:
    MemberConflicts() = default;
    // `affinity_class_of_class`: [member class] its affinity class.
    MemberConflicts(const model::Snapshot& snapshot, const model::Gang& gang,
                    std::span<const std::uint32_t> affinity_class_of_class);

    [[nodiscard]] bool exist() const { return !rows_.empty(); }
    // True if some conflict reaches beyond one node, so that counting node by node can't see it.
    [[nodiscard]] bool are_wide() const { return are_wide_; }
    // True if some term applies to pods of the class.
    [[nodiscard]] bool touch(std::uint32_t member_class) const {
        return exist() && rows_[member_class].affinity_class != 0;
    }
    [[nodiscard]] bool are_of_one_affinity_class(std::uint32_t one, std::uint32_t other) const {
        return !exist() || rows_[one].affinity_class == rows_[other].affinity_class;
    }
    // How many pods of the class the node may hold by these conflicts alone; `many`: no limit.
    static constexpr std::int64_t many = std::int64_t{1} << 40U;
    [[nodiscard]] std::int64_t limit(std::uint32_t member_class, model::NodeId node) const;
    [[nodiscard]] std::span<const Conflict> conflicts_of(std::uint32_t member_class) const;
    // The topology keys in which this class has conflicts.
    [[nodiscard]] std::span<const std::uint32_t> topology_keys(std::uint32_t member_class) const;
    [[nodiscard]] bool are_in_conflict(std::uint32_t topology_key, std::uint32_t one, std::uint32_t other) const;
    // Classes of which one node holds at most one pod in all, `member_class` among them. Empty if two pods of
    // `member_class` may share a node.
    [[nodiscard]] std::vector<std::uint32_t> exclusive(std::uint32_t member_class) const;
    // The number of the node's label value; `nowhere`: the node lacks the label.
    [[nodiscard]] std::uint32_t number(std::uint32_t topology_key, model::NodeId node) const {
        return gang_->affinity.topology_keys[topology_key].of[node];
    }
    // The topology keys in which several nodes share a value.
    [[nodiscard]] const std::vector<std::uint32_t>& wide() const { return wide_; }

private:
    struct Row {
        std::uint32_t affinity_class = 0;
        std::vector<Conflict> conflicts;
        std::vector<std::uint32_t> topology_keys;
        std::vector<std::uint8_t> closed;  // [node]; empty: none.
    };
    void close_around_bound(const model::Gang& gang, std::size_t nodes);

    const model::Gang* gang_ = nullptr;
    std::vector<Row> rows_;  // [class]
    std::vector<std::uint32_t> wide_;
    bool are_wide_ = false;
};

// How many pods of each class are at each label value, while a packing grows.
class PlacedCounts {
public:
    explicit PlacedCounts(const MemberConflicts& conflicts) : conflicts_(&conflicts) {}

    void add(std::uint32_t member_class, model::NodeId node, std::int64_t count);
    // True if a pod that conflicts with this class is there already.
    [[nodiscard]] bool has_conflict_at(std::uint32_t member_class, model::NodeId node) const;

private:
    const MemberConflicts* conflicts_;
    // [topology key, number of the label value, member class]
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::int64_t> there_;
};

}  // namespace echelon::solver

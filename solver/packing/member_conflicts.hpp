#pragma once

// Which pods of a gang may not stand beside each other, size by size, and which nodes are closed to a size? (D14)
//
// Empty, and free of cost, when no term of pod (anti-)affinity touches a waiting member. Immutable; pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace echelon::solver {

// A pod keeps pods of `size` out of its vicinity, and they keep it out of theirs.
struct Conflict {
    std::uint32_t vicinity = 0;
    std::uint32_t size = 0;
};

class MemberConflicts {
public:
    MemberConflicts() = default;
    // `kins`: [size] its kin.
    MemberConflicts(const model::Snapshot& snapshot, const model::Gang& gang, std::span<const std::uint32_t> kins);

    [[nodiscard]] bool exist() const { return !rows_.empty(); }
    // Some rivalry reaches beyond one node: counting node by node can't see it.
    [[nodiscard]] bool are_wide() const { return are_wide_; }
    [[nodiscard]] bool touch(std::uint32_t size) const { return exist() && rows_[size].kin != 0; }
    [[nodiscard]] bool are_kin(std::uint32_t one, std::uint32_t other) const {
        return !exist() || rows_[one].kin == rows_[other].kin;
    }
    // How many pods of the size the node may hold besides what room allows; `many`: any number.
    static constexpr std::int64_t many = std::int64_t{1} << 40U;
    [[nodiscard]] std::int64_t limit(std::uint32_t size, model::NodeId node) const;
    [[nodiscard]] std::span<const Conflict> rivals(std::uint32_t size) const;
    // The vicinities in which a pod of this size has rivals.
    [[nodiscard]] std::span<const std::uint32_t> vicinities(std::uint32_t size) const;
    [[nodiscard]] bool are_in_conflict(std::uint32_t vicinity, std::uint32_t one, std::uint32_t other) const;
    // Sizes of which one node can't hold two pods, whichever they are; `size` is one of them. None when it has company.
    [[nodiscard]] std::vector<std::uint32_t> loners(std::uint32_t size) const;
    // The number of a node in a vicinity; `nowhere`: it is in none.
    [[nodiscard]] std::uint32_t number(std::uint32_t vicinity, model::NodeId node) const {
        return gang_->kinship.vicinities[vicinity].of[node];
    }
    // The vicinities that hold several nodes.
    [[nodiscard]] const std::vector<std::uint32_t>& wide() const { return wide_; }

private:
    struct Row {
        std::uint32_t kin = 0;
        std::vector<Conflict> rivals;
        std::vector<std::uint32_t> vicinities;
        std::vector<std::uint8_t> closed;  // [node]; empty: none.
    };
    void close_around_bound(const model::Gang& gang, std::size_t nodes);

    const model::Gang* gang_ = nullptr;
    std::vector<Row> rows_;  // [size]
    std::vector<std::uint32_t> wide_;
    bool are_wide_ = false;
};

// How many pods of each size stand in each vicinity, while a packing grows.
class Company {
public:
    explicit Company(const MemberConflicts& relations) : relations_(&relations) {}

    void add(std::uint32_t size, model::NodeId node, std::int64_t count);
    // True when a rival of such a pod is there already.
    [[nodiscard]] bool has_conflict_at(std::uint32_t size, model::NodeId node) const;

private:
    const MemberConflicts* relations_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::int64_t> there_;  // Vicinity, number, size.
};

}  // namespace echelon::solver

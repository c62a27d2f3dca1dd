#pragma once

// Do the members that have come meet the minimums of every level? This decides when the barrier opens (rule B2), and
// the phase of a gang. Plain values, no clock.

#include "base/flat_table.hpp"
#include "base/hashed.hpp"
#include "base/text.hpp"
#include "model/gang/gang.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace echelon::engine {

// The minimums of a gang's tree without its members: what remains of a `model::Gang` after planning.
class Quorum {
public:
    Quorum() = default;
    explicit Quorum(const model::Gang& gang);

    // The leaf of a member that exists, as an index into `Counts`; model::nowhere: not in the tree.
    [[nodiscard]] std::uint32_t leaf_of(base::Hashed uid) const;

    using Counts = std::vector<std::int64_t>;  // [group]: members of a leaf that have come; 0 for composites.
    // Counts only the members that have succeeded, which need no seat any more.
    [[nodiscard]] const Counts& finished() const { return finished_; }
    // [group] 1 if the group and all its ancestors are satisfied by these counts (N4: no other group is bound). Members
    // that don't exist yet are not required (H3).
    [[nodiscard]] std::vector<std::uint8_t> satisfied(const Counts& counts) const;
    // The same by the declared minimums: members that don't exist yet are required.
    [[nodiscard]] std::vector<std::uint8_t> satisfied_as_declared(const Counts& counts) const;
    // True when the root is satisfied by these counts. An empty tree never is.
    [[nodiscard]] bool is_met(const Counts& counts) const;
    // The same by the declared minimums: members that don't exist yet are required.
    [[nodiscard]] bool meets_declared_minimum(const Counts& counts) const;
    // True when the root is satisfied without a further commit. In groups that count only waiting members, members that
    // ran before count, too.
    [[nodiscard]] bool holds_without_commit(const Counts& counts) const;
    // True if some leaf counts only waiting members toward its minimum (`only-waiting` of Koordinator, KP4).
    [[nodiscard]] bool counts_only_waiting() const { return counts_only_waiting_; }
    // True if this leaf does so.
    [[nodiscard]] bool counts_only_waiting(std::uint32_t leaf) const { return nodes_[leaf].counts_only_waiting; }
    [[nodiscard]] std::int64_t minimum(std::uint32_t leaf) const { return nodes_[leaf].minimum; }
    // How many more members must come to the barrier, at least. A composite counts the children that lack the fewest.
    // O(n log n) in groups.
    [[nodiscard]] std::int64_t still_needed(const Counts& counts) const;
    // The leaf has more members than the barrier waits for.
    [[nodiscard]] bool has_extras(std::uint32_t leaf, const Counts& counts) const {
        return counts[leaf] > nodes_[leaf].at_barrier;
    }
    // The leaf has fewer members than its minimum.
    [[nodiscard]] bool is_short(std::uint32_t leaf, const Counts& counts) const;

private:
    struct Node {
        std::uint32_t parent = model::nowhere;
        bool is_leaf = true;
        std::int64_t minimum = 0;
        std::int64_t at_barrier = 0;  // The part of `minimum` that can come to the barrier.
        std::int64_t floor = 0;
        std::int64_t minimum_without_earlier = 0;  // `minimum` without the members that ran before.
        bool counts_only_waiting = false;
    };
    [[nodiscard]] std::vector<std::uint8_t> satisfied(const Counts& counts, std::int64_t Node::* minimum) const;

    std::vector<Node> nodes_;  // Pre-order: children follow their parent.
    bool counts_only_waiting_ = false;
    Counts finished_;
    std::vector<std::pair<base::Text, std::uint32_t>> leaves_;  // UID of each member that exists, and its leaf.
    base::FlatTable<std::uint32_t> by_uid_;                     // Index of `leaves_`.
};

}  // namespace echelon::engine

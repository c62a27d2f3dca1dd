#pragma once

// Are the minimums of every level met by the members that are there? The count behind the barrier (rule B2) and behind
// the phase of a gang. Plain values, no clock.

#include "model/gang/gang.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace echelon::engine {

// The minimums of a gang's tree, without members: what stays of a `model::Gang` after planning.
class Quorum {
public:
    Quorum() = default;
    explicit Quorum(const model::Gang& gang);

    // The leaf of a member, as an index for `Counts`; model::nowhere when it isn't in the tree.
    [[nodiscard]] std::uint32_t leaf_of(const std::string& uid) const;

    using Counts = std::vector<std::int64_t>;  // [group]: members that are there, in leaves; 0 elsewhere.
    // Counts with the members that need no seat any more (Succeeded ones), and nobody else.
    [[nodiscard]] const Counts& finished() const { return finished_; }
    // [group] 1 when the group and all its ancestors are satisfied by these counts (N4: nobody else is bound). Members
    // that don't exist yet aren't waited for (H3).
    [[nodiscard]] std::vector<std::uint8_t> satisfied(const Counts& counts) const;
    // The same by the declared minimums: members that don't exist yet are missed.
    [[nodiscard]] std::vector<std::uint8_t> with_declared_minimum(const Counts& counts) const;
    // True when the root is satisfied by these counts. An empty tree never is.
    [[nodiscard]] bool is_met(const Counts& counts) const;
    // The same by the declared minimums: members that don't exist yet are missed.
    [[nodiscard]] bool meets_declared_minimum(const Counts& counts) const;
    // The same, but members that ran before count, too, where only those do that wait: what is bound stands by itself.
    [[nodiscard]] bool holds_without_commit(const Counts& counts) const;
    // Somewhere in the tree only members count that wait.
    [[nodiscard]] bool counts_only_waiting() const { return counts_only_waiting_; }
    // In this leaf.
    [[nodiscard]] bool counts_only_waiting(std::uint32_t leaf) const { return nodes_[leaf].counts_only_waiting; }
    [[nodiscard]] std::int64_t minimum(std::uint32_t leaf) const { return nodes_[leaf].minimum; }
    // How many more have to come to the barrier at least, where these are there already: of each composite its smallest
    // children. O(n log n) in groups.
    [[nodiscard]] std::int64_t still_needed(const Counts& counts) const;
    // The leaf has more than the barrier waits for.
    [[nodiscard]] bool has_extras(std::uint32_t leaf, const Counts& counts) const {
        return counts[leaf] > nodes_[leaf].at_barrier;
    }
    // The leaf has fewer than its minimum.
    [[nodiscard]] bool is_short(std::uint32_t leaf, const Counts& counts) const;

private:
    struct Node {
        std::uint32_t parent = model::nowhere;
        bool is_leaf = true;
        std::int64_t minimum = 0;
        std::int64_t at_barrier = 0;  // Of `minimum`, what can come to the barrier.
        std::int64_t floor = 0;
        std::int64_t alone = 0;  // Of `minimum`, what remains without those that ran before.
        bool counts_only_waiting = false;
    };
    [[nodiscard]] std::vector<std::uint8_t> satisfied(const Counts& counts, std::int64_t Node::* minimum) const;

    std::vector<Node> nodes_;  // Pre-order: children stand behind their parent.
    bool counts_only_waiting_ = false;
    Counts finished_;
    std::map<std::string, std::uint32_t> leaf_of_;
};

}  // namespace echelon::engine

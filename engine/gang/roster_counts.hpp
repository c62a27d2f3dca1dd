#pragma once

// How many members of each group wait, are bound or have ended?
//
// Updated with every event: the cost of one is the same in a gang of 8 and of 10,000. Plain values, no clock.

#include "base/text.hpp"
#include "engine/gang/quorum.hpp"
#include "engine/gang/seat_state.hpp"
#include "model/cluster/cluster.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace echelon::engine {

// A member as of the last refresh of the tree.
struct MemberRow {
    base::Text uid;
    base::Text pod;                       // "namespace/name".
    base::Text node;                      // The node that it is bound to; empty: not bound.
    std::uint32_t leaf = model::nowhere;  // The leaf in the quorum.
    bool has_succeeded = false;           // As of the last watch event.
};

// The value for `MemberRow::has_succeeded`.
[[nodiscard]] inline bool has_succeeded(const model::Pod& pod) {
    return pod.phase == model::PodPhase::succeeded && !pod.deleting;
}

// Which members a commit covers, in groups that count only waiting members (KP4).
struct CommitMembers {
    model::RunningBefore ran_before;  // Members that were bound or had ended before the commit's members were planned.
    model::RunningBefore completed;   // Members of the commit at the time when their group had bound its minimum.
};

class RosterCounts {
public:
    [[nodiscard]] std::uint32_t groups() const { return static_cast<std::uint32_t>(leaves_.size()); }
    // [group]: members that are bound or have finished.
    [[nodiscard]] const Quorum::Counts& bound() const { return bound_; }
    // [group]: the same, plus members at the barrier and members whose binding is in flight.
    [[nodiscard]] const Quorum::Counts& arrived() const { return arrived_; }
    [[nodiscard]] std::size_t at_barrier() const { return static_cast<std::size_t>(at_barrier_); }
    [[nodiscard]] std::size_t under_way() const { return static_cast<std::size_t>(under_way_); }
    // True if the outcome of some binding is unknown.
    [[nodiscard]] bool is_posting() const { return unresolved_ > 0; }
    [[nodiscard]] std::size_t calls() const { return static_cast<std::size_t>(calls_); }
    // True if this commit has bound a member, or a binding is in flight.
    [[nodiscard]] bool has_begun() const { return begun_members_ > 0 || under_way_ > 0; }
    // True if the commit has bound a member of this leaf, or a binding is in flight there.
    [[nodiscard]] bool has_begun(std::uint32_t leaf) const { return leaves_[leaf].begun > 0; }
    // This leaf counts only waiting members, and the commit has bound its minimum at some time.
    [[nodiscard]] bool is_complete(std::uint32_t leaf) const { return leaves_[leaf].completed > 0; }
    // The leaf has seats that aren't bound yet.
    [[nodiscard]] bool has_open(std::uint32_t leaf) const { return leaves_[leaf].open > 0; }
    // Bound members meet every minimum. Evaluated only after `bound` has changed.
    [[nodiscard]] bool holds_without_commit(const Quorum& quorum) const;
    // True if the member did not run before the commit and has ended since. Then it counts as bound by the commit.
    [[nodiscard]] static bool is_ended_by_commit(const MemberRow& row, const Quorum& quorum,
                                                 const CommitMembers& commit);

    // --- For the roster. `sign`: 1 adds to the counts, -1 removes what was added.
    // Only finished members are counted afterwards.
    void reset(const Quorum& quorum);
    void tally(const MemberRow& row, const Quorum& quorum, const CommitMembers& commit, std::int64_t sign);
    void tally(const SeatState& seat, const CommitMembers& commit, std::int64_t sign);

private:
    struct LeafCounts {
        std::int64_t begun = 0;      // Bound or ended by this commit, or being bound.
        std::int64_t completed = 0;  // Present members that are in `CommitMembers::completed`.
        std::int64_t open = 0;       // Seats that aren't bound yet.
    };

    Quorum::Counts bound_;
    Quorum::Counts arrived_;
    std::vector<LeafCounts> leaves_;  // [group]
    std::int64_t begun_members_ = 0;
    std::int64_t under_way_ = 0;
    std::int64_t unresolved_ = 0;
    std::int64_t at_barrier_ = 0;
    std::int64_t calls_ = 0;
    mutable std::optional<bool> holds_without_commit_;  // Until `bound_` changes.
};

}  // namespace echelon::engine

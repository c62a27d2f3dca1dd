#pragma once

// How many members of each group wait, are bound or have ended?
//
// Kept as they come, wait, are bound, end and go: what happens to one member costs the same in a gang of 8 and of
// 10,000. Plain values, no clock.

#include "engine/gang/quorum.hpp"
#include "engine/gang/seat_state.hpp"
#include "model/cluster/cluster.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace echelon::engine {

// A member as the last look at the tree saw it.
struct MemberRow {
    std::string uid;
    std::string pod;                      // "namespace/name".
    std::string node;                     // Bound there; empty: not bound.
    std::uint32_t leaf = model::nowhere;  // Its group in the quorum.
    bool has_succeeded = false;           // As the watch shows it now.
};

// As a row has it.
[[nodiscard]] inline bool has_succeeded(const model::Pod& pod) {
    return pod.phase == model::PodPhase::succeeded && !pod.deleting;
}

// Which members a commit is about, where only members count that wait (KP4).
struct CommitMembers {
    model::RunningBefore ran_before;  // Those that were bound or had ended when the others were planned.
    model::RunningBefore in_time;  // Those that were in the commit when as many of their group were bound as it needs.
};

class RosterCounts {
public:
    [[nodiscard]] std::uint32_t groups() const { return static_cast<std::uint32_t>(leaves_.size()); }
    // [group]: members that are bound or have finished.
    [[nodiscard]] const Quorum::Counts& bound() const { return bound_; }
    // [group]: the same, with those at the barrier and those whose binding is under way.
    [[nodiscard]] const Quorum::Counts& arrived() const { return arrived_; }
    [[nodiscard]] std::size_t at_barrier() const { return static_cast<std::size_t>(at_barrier_); }
    [[nodiscard]] std::size_t under_way() const { return static_cast<std::size_t>(under_way_); }
    // The outcome of a binding isn't known.
    [[nodiscard]] bool is_posting() const { return unsettled_ > 0; }
    [[nodiscard]] std::size_t calls() const { return static_cast<std::size_t>(calls_); }
    // A member is bound by this commit, or its binding is under way.
    [[nodiscard]] bool has_begun() const { return begun_members_ > 0 || under_way_ > 0; }
    // Of this leaf.
    [[nodiscard]] bool has_begun(std::uint32_t leaf) const { return leaves_[leaf].begun > 0; }
    // Enough members of this leaf, where only members count that wait, were bound by this commit once.
    [[nodiscard]] bool is_complete(std::uint32_t leaf) const { return leaves_[leaf].in_time > 0; }
    // Seats of this leaf aren't bound yet.
    [[nodiscard]] bool has_open(std::uint32_t leaf) const { return leaves_[leaf].open > 0; }
    // Every minimum is met by what is bound. Asked again only when that has changed.
    [[nodiscard]] bool holds_without_commit(const Quorum& quorum) const;
    // The member was not there when the others were planned, has ended since, and counts as bound by the commit.
    [[nodiscard]] static bool is_ended_by_commit(const MemberRow& row, const Quorum& quorum,
                                                 const CommitMembers& commit);

    // --- For the roster. `sign`: 1 counts it, -1 takes it out again, as it was.
    // Nothing is counted any more but what has finished.
    void begin(const Quorum& quorum);
    void tally(const MemberRow& row, const Quorum& quorum, const CommitMembers& commit, std::int64_t sign);
    void tally(const SeatState& seat, const CommitMembers& commit, std::int64_t sign);

private:
    struct LeafCounts {
        std::int64_t begun = 0;    // Bound or ended by this commit, or on the way.
        std::int64_t in_time = 0;  // Of `CommitMembers::in_time`, those that are members now.
        std::int64_t open = 0;     // Seats that aren't bound yet.
    };

    Quorum::Counts bound_;
    Quorum::Counts arrived_;
    std::vector<LeafCounts> leaves_;  // [group]
    std::int64_t begun_members_ = 0;
    std::int64_t under_way_ = 0;
    std::int64_t unsettled_ = 0;
    std::int64_t at_barrier_ = 0;
    std::int64_t calls_ = 0;
    mutable std::optional<bool> holds_without_commit_;  // Until `bound_` changes.
};

}  // namespace echelon::engine

// What a commit has begun, and for which groups it is over. Of interest where only members count that wait (KP4): those
// that one commit binds go together, and whoever comes too late waits for the next.

#include "engine/state.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace echelon::engine {

std::vector<std::uint8_t> Engine::State::groups_with_bindings(const GangState& gang) const {
    std::vector<std::uint8_t> begun(gang.quorum.finished().size(), 0);
    for (const auto& row : gang.members) {
        if (row.leaf != model::nowhere && (is_bound_by_commit(gang, row) || has_ended_by_commit(gang, row)))
            begun[row.leaf] = 1;
    }
    for (const auto& [uid, seat] : gang.seats) {
        if (is_under_way(seat) && seat.leaf != model::nowhere && !gang.ran_before.contains(uid))
            begun[seat.leaf] = 1;
    }
    return begun;
}

bool Engine::State::is_partly_committed(const GangState& gang, const Quorum::Counts& counts) const {
    if (!gang.quorum.minds_who_waits())
        return false;
    const auto begun = groups_with_bindings(gang);
    const auto complete = groups_completed(gang);
    for (std::uint32_t leaf = 0; leaf < begun.size(); ++leaf) {
        if (begun[leaf] != 0 && complete[leaf] == 0 && gang.quorum.minds_who_waits(leaf) &&
            gang.quorum.is_short(leaf, counts))
            return true;
    }
    return false;
}

std::vector<std::uint8_t> Engine::State::groups_completed(const GangState& gang) const {
    std::vector<std::uint8_t> complete(gang.quorum.finished().size(), 0);
    for (const auto& row : gang.members) {
        if (row.leaf != model::nowhere && gang.came_in_time.contains(row.uid))
            complete[row.leaf] = 1;
    }
    return complete;
}

// Where only members count that wait, and as many are bound as are needed: whoever comes now is too late for this
// commit. Only extras that have a seat by its record still take it.
void Engine::State::record_completed_groups(GangState& gang) {
    if (gang.commit != GangState::Commit::committed || !gang.quorum.minds_who_waits())
        return;
    const auto counts = bound_counts(gang);
    const auto before = groups_completed(gang);
    auto completes = groups_with_bindings(gang);
    for (std::uint32_t leaf = 0; leaf < completes.size(); ++leaf) {
        if (!gang.quorum.minds_who_waits(leaf) || gang.quorum.is_short(leaf, counts) || before[leaf] != 0)
            completes[leaf] = 0;
    }
    const bool is_recorded = gang.epoch == gang.committed_epoch;
    for (const auto& row : gang.members) {
        if (row.leaf == model::nowhere || completes[row.leaf] == 0)
            continue;
        const auto seat = gang.seats.find(row.uid);
        const bool goes = seat != gang.seats.end() && (is_recorded || is_under_way(seat->second));
        if (goes || !row.node.empty()) {
            gang.came_in_time.insert(row.uid);
        } else if (seat != gang.seats.end()) {
            mark(gang, false);  // It will lose its seat.
        }
    }
}

// A commit that goes on from a record found at the start is over when a later one says so. What it still waits for from
// the API server is settled first, and nobody else comes with it.
void Engine::State::on_newer_record(GangState& gang, const model::PlanRecord& seen) {
    const bool is_over = seen.phase == model::Phase::bound || seen.phase == model::Phase::degraded;
    if (!is_over || gang.commit != GangState::Commit::committed || !gang.quorum.minds_who_waits())
        return;
    const auto goes = [](const auto& entry) { return is_under_way(entry.second); };
    if (gang.was_commit_adopted && std::ranges::none_of(gang.seats, goes)) {
        gang.commit = GangState::Commit::none;
        gang.was_bound = true;
        mark(gang, false);
        return see_stage(gang);
    }
    for (const auto& seat : seen.seats) {
        const auto row = gang.row_of.find(seat.uid);
        const auto leaf = row == gang.row_of.end() ? model::nowhere : gang.members[row->second].leaf;
        if (leaf == model::nowhere || !gang.quorum.minds_who_waits(leaf) || gang.ran_before.contains(seat.uid))
            continue;
        if (gang.came_in_time.insert(seat.uid).second)
            mark(gang, false);
    }
}

bool Engine::State::is_bound_by_commit(const GangState& gang, const MemberRow& row) {
    return !row.node.empty() && !gang.ran_before.contains(row.uid);
}

bool Engine::State::has_ended_by_commit(const GangState& gang, const MemberRow& row) const {
    if (row.leaf == model::nowhere || !gang.quorum.minds_who_waits(row.leaf) || gang.ran_before.contains(row.uid))
        return false;
    const auto* pod = cluster.pod(row.uid);
    return pod != nullptr && pod->phase == model::PodPhase::succeeded && !pod->deleting;
}

bool Engine::State::has_begun(const GangState& gang) const {
    const auto is_row = [&](const MemberRow& row) {
        return is_bound_by_commit(gang, row) || has_ended_by_commit(gang, row);
    };
    const auto goes = [](const auto& entry) { return is_under_way(entry.second); };
    return std::ranges::any_of(gang.members, is_row) || std::ranges::any_of(gang.seats, goes);
}

// Members that a group lost once it was complete come back with another commit.
bool Engine::State::may_remove_gang(const GangState& gang) const {
    auto counts = bound_counts(gang);
    const auto complete = groups_completed(gang);
    for (std::uint32_t leaf = 0; leaf < complete.size(); ++leaf) {
        if (complete[leaf] != 0)
            counts[leaf] = std::max(counts[leaf], gang.quorum.minimum(leaf));
    }
    return gang.quorum.stands(counts) && !is_partly_committed(gang, counts);
}

}  // namespace echelon::engine

// The tree of a gang as it is now: what stays of a `model::Gang` between two plans.

#include "engine/state.hpp"
#include "engine/texts.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace echelon::engine {

namespace {

constexpr std::size_t old_places_limit = 4096;

// Where members were bound that aren't any more: their successors go there first.
void remember_old_places(GangState& gang, const model::Gang& built) {
    std::unordered_set<std::string_view> bound;
    for (const auto& member : built.members) {
        if (member.state != model::Member::State::bound)
            continue;
        bound.insert(member.uid);
        if (!gang.previous_nodes.empty())
            gang.previous_nodes.erase(member.pod);
    }
    if (gang.previous_nodes.size() > old_places_limit)
        gang.previous_nodes.clear();
    for (const auto& row : gang.members) {
        if (!row.node.empty() && !bound.contains(row.uid))
            gang.previous_nodes.insert_or_assign(row.pod, row.node);
    }
}

}  // namespace

namespace {

// Where only members count that wait.
model::RunningBefore who_runs(const model::Gang& built) {
    model::RunningBefore before;
    for (const auto& group : built.groups) {
        for (auto m = group.first_member; group.only_waiting && m < group.last_member; ++m) {
            if (built.members[m].state != model::Member::State::waiting)
                before.insert(built.members[m].uid);
        }
    }
    return before;
}

// Where only members count that wait, one that somebody else has bound, on another node than its seat's, isn't of the
// commit under way.
bool note_bound_by_others(GangState& gang, const model::Gang& built, const model::Cluster& cluster) {
    bool is_news = false;
    for (const auto& group : built.groups) {
        for (auto m = group.first_member; group.only_waiting && m < group.last_member; ++m) {
            const auto& member = built.members[m];
            const auto row = gang.row_of.find(member.uid);
            const auto seat = gang.seats.find(member.uid);
            const bool has_just_been_bound = member.state == model::Member::State::bound && row != gang.row_of.end() &&
                                             gang.members[row->second].node.empty();
            const auto* pod = cluster.pod(member.uid);
            const bool is_expected = seat != gang.seats.end() && pod != nullptr && seat->second.node == pod->node;
            if (has_just_been_bound && !is_expected)
                is_news = gang.ran_before.insert(member.uid).second || is_news;
        }
    }
    return is_news;
}

}  // namespace

void Engine::State::look(GangState& gang, const model::Gang& built) {
    // The minimums of an Invalid tree, or of one that lacks a group, mean nothing; those of the last sound one stay.
    const bool is_invalid = built.problem && built.problem->reason == model::Reason::invalid;
    const bool is_known = std::ranges::all_of(
        built.groups, [this](const model::GangGroup& group) { return cluster.group(group.key) != nullptr; });
    if (!is_invalid && is_known)
        gang.quorum = Quorum(built);
    gang.priority = built.priority;
    gang.created = built.created;
    gang.timeout = built.timeout;
    if (gang.commit == GangState::Commit::none) {
        gang.ran_before = who_runs(built);
        gang.came_in_time.clear();
    } else if (note_bound_by_others(gang, built, cluster)) {
        mark(gang, false);
    }
    remember_old_places(gang, built);
    gang.members.clear();
    gang.row_of.clear();
    for (const auto& member : built.members) {
        if (member.is_placeholder)
            continue;
        const auto* pod = cluster.pod(member.uid);
        const bool is_bound = member.state == model::Member::State::bound;
        gang.row_of.emplace(member.uid, static_cast<std::uint32_t>(gang.members.size()));
        gang.members.push_back(
            {member.uid, member.pod, is_bound && pod != nullptr ? pod->node : "", gang.quorum.leaf_of(member.uid)});
    }
    for (auto& [uid, seat] : gang.seats)
        seat.leaf = gang.quorum.leaf_of(uid);
    update_group_generations(gang, objects_of(built));
    const auto* root = cluster.group(gang.root);
    gang.generation = root != nullptr ? root->generation : 0;
    if (gang.clear_nominations_at == never)
        gang.clear_nominations_at = now;
    gang.answers_stale = true;
}

void Engine::State::drop_vanished(GangState& gang, const model::Gang& built) {
    std::unordered_set<std::string_view> waiting;
    for (const auto& member : built.members) {
        if (member.state == model::Member::State::waiting)
            waiting.insert(member.uid);
    }
    std::vector<std::string> vanished;
    for (const auto& [uid, seat] : gang.seats) {
        if (!waiting.contains(uid))
            vanished.push_back(uid);
    }
    for (const auto& uid : vanished) {
        // It waits in another gang now, since a group between them went: what was asked for it is settled first (I4).
        const auto* pod = cluster.pod(uid);
        if (is_under_way(gang.seats.at(uid)) && pod != nullptr && pod->node.empty()) {
            hand_over(gang, uid);
        } else {
            end_seat(gang, uid, std::string(texts::not_waiting));
        }
    }
}

}  // namespace echelon::engine

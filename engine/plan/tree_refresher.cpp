#include "engine/plan/tree_refresher.hpp"

#include "engine/gang/member_queries.hpp"
#include "engine/texts.hpp"
#include "model/gang/gang_facts.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace echelon::engine {

namespace {

using State = model::Member::State;

constexpr std::size_t previous_nodes_limit = 4096;

// Remembers the nodes of members that are no longer bound: their successors go there first. A gang that has lost all of
// them is planned anew.
void remember_previous_nodes(std::map<std::string, std::string>& previous_nodes, const Roster& roster,
                             const model::Gang& built) {
    std::unordered_set<std::string_view> bound;
    for (const auto& member : built.members) {
        if (member.state != State::bound)
            continue;
        bound.insert(member.uid);
        if (!previous_nodes.empty())
            previous_nodes.erase(member.pod);
    }
    if (bound.empty() || previous_nodes.size() > previous_nodes_limit)
        previous_nodes.clear();
    if (bound.empty())
        return;
    for (const auto& row : roster.members()) {
        if (!row.node.empty() && !bound.contains(row.uid))
            previous_nodes.insert_or_assign(row.pod, row.node);
    }
}

// Members that run or have ended, in groups that count only waiting members.
model::RunningBefore running_members(const model::Gang& built) {
    model::RunningBefore before;
    for (const auto& group : built.groups) {
        for (auto m = group.first_member; group.counts_only_waiting && m < group.last_member; ++m) {
            if (built.members[m].state != State::waiting)
                before.insert(built.members[m].uid);
        }
    }
    return before;
}

// For groups that count only waiting members. A member that another party bound is not part of the commit under way if
// it is on another node than planned, or the commit is not recorded yet. True if such a member was found.
bool note_bound_by_others(GangState& gang, const model::Gang& built, const model::Cluster& cluster) {
    auto& roster = gang.roster;
    bool is_news = false;
    for (const auto& group : built.groups) {
        for (auto m = group.first_member; group.counts_only_waiting && m < group.last_member; ++m) {
            const auto& member = built.members[m];
            const auto* row = roster.member(member.uid);
            const auto* seat = roster.seat(member.uid);
            const bool has_just_been_bound = member.state == State::bound && row != nullptr && row->node.empty();
            const auto* pod = cluster.pod(member.uid);
            const bool is_expected = seat != nullptr && pod != nullptr && seat->node == pod->node &&
                                     (is_under_way(*seat) || !gang.lifecycle.is_recording());
            if (has_just_been_bound && !is_expected)
                is_news = roster.add_ran_before(member.uid) || is_news;
        }
    }
    return is_news;
}

// A gang without a root object is as old as the oldest member that it ever had. It doesn't get younger when that member
// is re-created.
void note_age(TreeState& state, std::int64_t created, const model::Group* root) {
    state.created = created;
    if (root != nullptr && !root->uid.empty())
        return state.oldest.reset();
    state.oldest = std::min(state.oldest.value_or(created), created);
    state.created = *state.oldest;
}

std::vector<MemberRow> rows_of(const model::Gang& built, const model::Cluster& cluster) {
    std::vector<MemberRow> rows;
    rows.reserve(static_cast<std::size_t>(std::ranges::count(built.members, false, &model::Member::is_placeholder)));
    for (const auto& member : built.members) {
        if (member.is_placeholder)
            continue;
        const auto* pod = member.state == State::waiting ? nullptr : cluster.pod(member.uid);
        const bool is_bound = member.state == State::bound && pod != nullptr;
        rows.push_back({.uid = member.uid,
                        .pod = member.pod,
                        .node = is_bound ? pod->node : "",
                        .has_succeeded = pod != nullptr && has_succeeded(*pod)});
    }
    return rows;
}

}  // namespace

void TreeRefresher::refresh(GangState& gang, const model::Gang& built) {
    const auto& cluster = facts_.cluster;
    auto& roster = gang.roster;
    auto& state = gang.tree(Key<TreeRefresher>());
    state.priority = built.priority;
    note_age(state, built.created, cluster.group(gang.root()));
    seating_.set_timeout(gang, built.timeout);
    if (!gang.lifecycle.is_committing()) {
        roster.set_ran_before(running_members(built));
        roster.forget_completed();
    } else if (note_bound_by_others(gang, built, cluster)) {
        queue_.mark(gang);
    }
    remember_previous_nodes(state.previous_nodes, roster, built);
    // The minimums of a tree that is invalid or lacks a group mean nothing. Those of the last sound tree stay.
    const bool is_invalid = built.problem && built.problem->reason == model::Reason::invalid;
    const bool is_sound = !is_invalid && std::ranges::all_of(built.groups, &model::GangGroup::exists);
    if (is_sound) {
        roster.update(Quorum(built), rows_of(built, cluster));
    } else if (!has_member_in(built, State::bound) && !has_member_in(built, State::finished) &&
               roster.seats().empty()) {
        roster.update(Quorum(), rows_of(built, cluster));  // A former minimum of none would count as bound.
    } else {
        roster.update(std::nullopt, rows_of(built, cluster));
    }
    conditions_.update_groups(gang, built, is_sound ? GroupConditions::Tree::as_counted : GroupConditions::Tree::other);
    checker_.set_objects(gang, built);
    const auto* root = cluster.group(gang.root());
    state.generation = root != nullptr ? root->generation : 0;
    if (!built.scheduler_names.empty())
        state.scheduler_names = built.scheduler_names;
    releaser_.schedule_nomination_cleanup(gang);
    gang.verdicts.request_full_refresh();
}

void TreeRefresher::refresh_order(GangState& gang) {
    const auto facts = facts_.cluster.facts(gang.root());
    auto& state = gang.tree(Key<TreeRefresher>());
    state.priority = model::priority_of(facts);
    note_age(state, model::created_of(facts), facts_.cluster.group(gang.root()));
}

void TreeRefresher::drop_vanished(GangState& gang, const model::Gang& built, model::Snapshot& snapshot) {
    if (gang.roster.seats().empty())
        return;
    std::unordered_set<std::string_view> waiting;
    for (const auto& member : built.members) {
        if (member.state == State::waiting && !member.is_placeholder)
            waiting.insert(member.uid);
    }
    std::vector<base::Text> vanished;
    for (const auto& [uid, seat] : gang.roster.seats()) {
        if (!waiting.contains(uid))
            vanished.push_back(uid);
    }
    // A member may belong to another gang now, since a group between it and the root has gone.
    for (const auto& uid : vanished)
        end_seat(gang, uid, texts::not_waiting, snapshot);
}

void TreeRefresher::end_seat(GangState& gang, const base::Text& uid, std::string_view why, model::Snapshot& snapshot) {
    const auto* seat = gang.roster.seat(uid);
    const auto* pod = facts_.cluster.pod(uid);
    if (seat != nullptr && is_under_way(*seat) && pod != nullptr && pod->node.empty()) {
        plain_.take_over(gang.root(), seating_.detach(gang, uid));
        ledger_.apply(snapshot, uid);
    } else {
        seating_.end(gang, uid, why);
    }
}

}  // namespace echelon::engine

// I1: no member is bound before all needed members exist, have room and are recorded.

#include "unit-tests/simulator/witness.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include <fmt/format.h>

namespace echelon::simulator {

namespace {

// No group above it could do without it.
bool is_needed(const View& view, const Tree& tree, const model::GroupKey& leaf) {
    const auto* group = view.group(leaf);
    while (group != nullptr && group->parent) {
        const auto siblings = std::ranges::count_if(tree.groups, [&](const auto& key) {
            const auto* other = view.group(key);
            return other != nullptr && other->parent == group->parent;
        });
        const auto* above = view.group(*group->parent);
        if (above == nullptr || above->minimum.value_or(siblings) < siblings)
            return false;
        group = above;
    }
    return true;
}

}  // namespace

// No member's binding is posted before every level's quorum has arrived; from the first one on only satisfied groups,
// and those that have begun, go on.
void Witness::check_i1_no_partial_gang(const model::Pod& pod, const std::string& node) {
    const auto tree = tree_of(view_, *root_of(view_, pod));
    const auto leaf = pod.membership->leaf;
    if (std::ranges::none_of(tree.members, [&](const auto* member) { return member->uid == pod.uid; }))
        return fail("I1", fmt::format("{} is bound although it is of an earlier attempt", about(pod.uid)));
    auto counts = settled_counts(view_, tree);
    drop_those_that_ran_before(tree, pod, counts);
    bool has_begun = false;
    bool has_leaf_begun = false;
    for (const auto* member : tree.members) {
        const bool is_under_way = bindings_.contains(member->uid) && member->node.empty();
        if (has_begun_with(tree, *member, pod)) {
            has_begun = true;
            has_leaf_begun = has_leaf_begun || member->membership->leaf == leaf;
        }
        const auto arrived = std::ranges::any_of(calls_, [&](const auto& entry) {
            const auto& call = entry.second;
            const auto seat = pinned_.find(member->uid);
            return call.uid == member->uid && seat != pinned_.end() && seat->second == call.node;
        });
        if (is_under_way || (arrived && is_waiting(*member)))
            ++counts[member->membership->leaf];
    }
    for (const auto& placeholder : placeholders_of(view_, tree))
        ++counts[placeholder.membership->leaf];  // H3: the barrier doesn't wait for placeholders.
    check_i1_is_recorded(tree, pod, counts_only_waiting(view_, pod) ? has_leaf_begun : has_begun);
    if (!has_begun)
        check_i1_late_members_have_room(tree, pod, node);
    if (!has_begun && !is_met(view_, tree, counts)) {
        return fail("I1", fmt::format("{} is bound to \"{}\" before the quorum of \"{}\" is there", about(pod.uid),
                                      node, tree.root.name));
    }
    if (!has_leaf_begun && !satisfied(view_, tree, counts).contains(leaf))
        fail("I1", fmt::format("{} is bound although its group \"{}\" isn't satisfied", about(pod.uid), leaf.name));
}

// Bound, or about to be. In a leaf where only waiting members count: bound by the same commit as the pod, even if it
// has ended since.
bool Witness::has_begun_with(const Tree& tree, const model::Pod& member, const model::Pod& pod) const {
    const bool is_under_way = bindings_.contains(member.uid) && member.node.empty();
    const bool has_ended = counts_only_waiting(view_, member) && is_finished_well(member);
    if (!is_under_way && !has_ended && !is_bound(view_, member))
        return false;
    if (!has_ended && (!counts_only_waiting(view_, pod) || member.membership->leaf != pod.membership->leaf))
        return true;
    const auto found = world_.promises.find(tree.root);
    if (member.uid == pod.uid || found == world_.promises.end())
        return false;
    const auto& promise = found->second;
    if (promise.phase == model::Phase::committed && found_committed_.contains(member.uid))
        return true;
    for (const auto& commit : promise.commits) {
        // A member that replaces another during a commit is in the record a little later.
        const bool is_open = &commit == &promise.commits.back() && promise.phase == model::Phase::committed;
        if (commit.contains(member.uid) && (is_open || commit.contains(pod.uid)))
            return true;
    }
    return false;
}

// A process that just started goes on from the records it listed, although these may be outdated by then.
void Witness::note_commits_found() {
    for (const auto& [name, plan] : view_.plans) {
        for (const auto& seat : plan.seats) {
            if (plan.phase == model::Phase::committed && !seat.ran_before)
                found_committed_.insert(seat.uid);
        }
    }
}

// KP4: where only waiting members count and some exist, bound and finished members don't count, unless the same commit
// binds them or `pod`.
void Witness::drop_those_that_ran_before(const Tree& tree, const model::Pod& pod, Counts& counts) const {
    std::set<model::GroupKey> grows;
    for (const auto* member : tree.members) {
        const bool has_claim = claim_of(*member).empty() || view_.claims.contains(claim_of(*member));
        if (counts_only_waiting(view_, *member) && is_waiting(*member) && has_claim)
            grows.insert(member->membership->leaf);
    }
    for (const auto& leaf : grows) {
        const auto is_here = [&](const auto* member) { return member->membership->leaf == leaf; };
        auto here = tree.members | std::views::filter(is_here);
        const bool rolls = std::ranges::any_of(here, [&](const auto* other) {
            return is_in_commit_of(tree, *other, pod) || std::ranges::any_of(here, [&](const auto* one) {
                       return is_waiting(*one) && has_begun_with(tree, *other, *one);
                   });
        });
        if (!rolls)
            counts[leaf] = 0;
    }
}

// Bound, and named by the same commit, even if its phase is Bound by now and only extras are left.
bool Witness::is_in_commit_of(const Tree& tree, const model::Pod& member, const model::Pod& pod) const {
    const auto found = world_.promises.find(tree.root);
    return found != world_.promises.end() && is_bound(view_, member) &&
           std::ranges::any_of(found->second.commits, [&](const auto& commit) {
               return commit.contains(member.uid) && commit.contains(pod.uid);
           });
}

// H2: no member is bound where late members would find no room. Checked for each leaf separately.
void Witness::check_i1_late_members_have_room(const Tree& tree, const model::Pod& pod, const std::string& node) {
    std::map<model::GroupKey, std::vector<model::Pod>> late;
    for (auto& placeholder : placeholders_of(view_, tree)) {
        if (is_needed(view_, tree, placeholder.membership->leaf))
            late[placeholder.membership->leaf].push_back(std::move(placeholder));
    }
    if (late.empty() || !view_.nodes.contains(node) || !changed_now_.empty() || !taken_now_.empty())
        return;
    auto rooms = room_of(view_);
    auto seats = pinned_;
    for (const auto& [uid, binding] : bindings_)
        seats.emplace(uid, binding.node);
    for (const auto& [uid, at] : seats) {
        const auto* other = view_.pod(uid);
        if (other != nullptr && other->node.empty() && rooms.contains(at))
            rooms[at].add(wants(view_, *other), -1);
    }
    const auto line = ancestry(view_, pod);
    for (const auto& [leaf, placeholders] : late) {
        auto left = rooms;
        std::size_t room = 0;
        for (const auto& [name, there] : view_.nodes) {
            const bool is_theirs = std::ranges::all_of(ancestry(view_, placeholders.front()), [&](const auto& key) {
                return std::ranges::find(line, key) == line.end() ||
                       std::ranges::all_of(view_.group(key)->required, [&](const auto& level) {
                           return domain_of(there, level) == domain_of(view_.nodes.at(node), level);
                       });
            });
            for (; is_theirs && admits(there, placeholders.front()) &&
                   left[name].fits(placeholders.front().pod_class.requests);
                 ++room)
                left[name].add(placeholders.front().pod_class.requests, -1);
        }
        if (room < placeholders.size()) {
            fail("I1", fmt::format("{} is bound to \"{}\", where {} members of \"{}\" that come later have room for {}",
                                   about(pod.uid), node, placeholders.size(), leaf.name, room));
        }
    }
}

void Witness::check_i1_is_recorded(const Tree& tree, const model::Pod& pod, bool has_begun) {
    if (!world_.api.serves_plans)
        return;
    const auto found = world_.recorded.find(tree.root);
    if (found == world_.recorded.end() || (!has_begun && !found->second.contains(pod.uid)))
        fail("I1", fmt::format("{} is bound without a commit record of \"{}\"", about(pod.uid), tree.root.name));
}

}  // namespace echelon::simulator

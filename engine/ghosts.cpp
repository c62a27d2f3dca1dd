// Seats of members that don't exist yet: they are planned and held with the others, taken over by those who come, and
// given back when nobody comes (H2 to H5).

#include "base/natural_order.hpp"
#include "engine/gang/standing.hpp"
#include "engine/state.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

// Leaf -> names of its placeholders' seats, in the order of their numbers.
std::map<model::GroupKey, std::vector<std::string>> placeholders_by_leaf(const GangState& gang) {
    std::map<model::GroupKey, std::vector<std::string>> names;
    for (const auto& [name, seat] : gang.placeholders)
        names[seat.leaf].push_back(name);
    for (auto& [leaf, of_leaf] : names)
        std::ranges::sort(of_leaf, base::NaturalLess{});
    return names;
}

// Names of those that are expected today.
std::vector<std::string> placeholders_in(const model::Gang& gang, const model::GangGroup& group) {
    std::vector<std::string> names;
    for (auto m = group.first_member; m < group.last_member; ++m) {
        if (gang.members[m].is_placeholder)
            names.push_back(gang.members[m].uid);
    }
    return names;
}

// Bound, or ended already: not before its first binding.
bool is_past_its_beginning(const model::Gang& gang) {
    return has_member_in(gang, model::Member::State::bound) || !has_member_in(gang, model::Member::State::waiting);
}

// Whom nobody waits for any more is missing. Placeholders stand behind the real members of their leaf.
void drop_placeholders(model::Gang& gang) {
    std::uint32_t dropped = 0;
    std::string shortage;
    Quorum::Counts existing(gang.groups.size(), 0);
    for (std::uint32_t g = 0; g < gang.groups.size(); ++g) {
        auto& group = gang.groups[g];
        const auto first = group.first_member;
        const auto last = group.last_member;
        group.first_member -= dropped;
        for (auto m = first; m < last; ++m)
            dropped += gang.members[m].is_placeholder ? 1U : 0U;
        group.last_member -= dropped;
        existing[g] = group.last_member - group.first_member;
        if (group.is_leaf && existing[g] < group.minimum && shortage.empty()) {
            shortage = fmt::format("group \"{}\" has {} of at least {} pods; the others weren't created in time",
                                   group.key.name, existing[g] - group.standing, group.minimum - group.standing);
        }
    }
    std::erase_if(gang.members, [](const model::Member& member) { return member.is_placeholder; });
    if (!gang.problem && !Quorum(gang).is_whole(existing))
        gang.problem = {model::Reason::incomplete, shortage};
}

}  // namespace

model::Gang Engine::State::build(const GangState& gang, const model::Snapshot& snapshot) const {
    const auto elsewhere =
        cluster.depends_on_other_pods() ? ledger.placed_by_others(gang.root) : std::vector<model::ExpectedPod>{};
    const bool rolls = gang.commit != GangState::Commit::none;
    auto built = cluster.gang(gang.root, snapshot, elsewhere, rolls ? &gang.ran_before : nullptr);
    if (gang.have_placeholders_expired && is_past_its_beginning(built))
        drop_placeholders(built);
    return built;
}

// A real member takes the seat of a placeholder of its leaf that has room for it and lies where it may go (H4). What is
// left is renamed to the placeholders that are still expected. Requires: the gang's own holds are given back in
// `snapshot`.
void Engine::State::fill_placeholders(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot) {
    if (gang.placeholders.empty())
        return;
    auto names = placeholders_by_leaf(gang);
    for (const auto& group : built.groups) {
        if (!group.is_leaf)
            continue;
        auto& held = names[group.key];
        const auto expected = placeholders_in(built, group);
        for (auto m = group.first_member; m < group.last_member && held.size() > expected.size(); ++m)
            fill_placeholder(gang, built, snapshot, built.members[m], held);
        rename_placeholders(gang, held, expected);
    }
    // Of leaves that are gone.
    std::set<model::GroupKey> leaves;
    for (const auto& group : built.groups)
        leaves.insert(group.key);
    std::erase_if(gang.placeholders, [&](const auto& entry) {
        const bool is_known = leaves.contains(entry.second.leaf);
        if (!is_known)
            ledger.release(entry.first);
        return !is_known;
    });
}

// `held`: names of the placeholders' seats that `member` may choose from; the one that it takes goes.
void Engine::State::fill_placeholder(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                                     const model::Member& member, std::vector<std::string>& held) {
    const auto* pod = cluster.pod(member.uid);
    if (member.state != model::Member::State::waiting || pod == nullptr || gang.seats.contains(member.uid))
        return;
    const auto found = std::ranges::find_if(held, [&](const std::string& name) {
        const auto node = snapshot.node(gang.placeholders.at(name).node);
        const auto* hold = ledger.find(name);
        return node && hold != nullptr && hold->requests == pod->shape.requests &&
               snapshot.eligible[member.shape][*node] != 0 && !built.kinship.is_barred(member.kin, *node);
    });
    if (found == held.end())
        return;
    const std::string node = gang.placeholders.at(*found).node;
    ledger.release(*found);
    gang.placeholders.erase(*found);
    held.erase(found);
    give_seat(gang, *pod, node);
    ++gang.epoch;
    reset_check(gang);
    gang.expires_at = now + hold_lifetime(gang);
    schedule_record(gang, Time{100});
}

// Those that no one expects any more go, the last first; the others take the names of today. A name of today is never
// that of a placeholder further on: both are in the order of their numbers, and today's have no gaps.
void Engine::State::rename_placeholders(GangState& gang, std::vector<std::string>& held,
                                        const std::vector<std::string>& expected) {
    for (; held.size() > expected.size(); held.pop_back()) {
        ledger.release(held.back());
        gang.placeholders.erase(held.back());
        capacity_may_be_free = true;
    }
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (held[i] == expected[i])
            continue;
        auto hold = *ledger.find(held[i]);
        ledger.release(held[i]);
        ledger.put(expected[i], std::move(hold));
        auto node = gang.placeholders.extract(held[i]);
        node.key() = expected[i];
        gang.placeholders.insert(std::move(node));
    }
}

void Engine::State::hold_placeholders(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                                      const solver::Plan& plan) {
    std::map<std::string, PlaceholderSeat> wanted;
    auto leaf = built.groups.begin();
    for (const auto& seat : plan.seats) {  // In member order, and so are the leaves.
        const auto& member = built.members[seat.member];
        if (!member.is_placeholder)
            continue;
        while (!leaf->is_leaf || seat.member >= leaf->last_member)
            ++leaf;
        const auto& node = snapshot.node_names[seat.node];
        wanted.emplace(member.uid, PlaceholderSeat{leaf->key, node});
        ledger.put(member.uid, {node, snapshot.shapes[member.shape].requests, gang.root});
    }
    for (const auto& [name, seat] : gang.placeholders) {
        if (!wanted.contains(name))
            ledger.release(name);
    }
    gang.placeholders = std::move(wanted);
    expire_placeholders(gang);
}

// Their time runs from the first binding on, or from when those who are there have ended: before it they live and end
// with the hold of the others.
void Engine::State::expire_placeholders(GangState& gang) {
    if (gang.placeholders.empty())
        return;
    if (gang.placeholders_until == never && (gang.seats.empty() || has_begun(gang)))
        gang.placeholders_until = now + options.placeholder_lifetime;
    if (now < gang.placeholders_until)
        return;
    note(Note::Level::warning, &gang,
         fmt::format("{} of its pods weren't created in time; their seats are given back", gang.placeholders.size()));
    gang.have_placeholders_expired = true;
    figures.add(&Stats::holds_expired);
    release_placeholders(gang);
    gang.message.clear();
    gang.due = now;  // It may be too few now.
    dirty.insert(gang.root);
    schedule_record(gang, Time{100});
}

void Engine::State::release_placeholders(GangState& gang) {
    for (const auto& [name, seat] : gang.placeholders)
        ledger.release(name);
    capacity_may_be_free = capacity_may_be_free || !gang.placeholders.empty();
    gang.placeholders.clear();  // Not `placeholders_until`: it is set once for each life of a gang.
}

void Engine::State::give_seat(GangState& gang, const model::Pod& pod, const std::string& node) {
    SeatState seat;
    seat.pod = {pod.ns, pod.name, pod.uid};
    seat.node = node;
    seat.was_refused_by_filter = refused.contains(pod.uid);
    seat.leaf = gang.quorum.leaf_of(pod.uid);
    gang.seats.emplace(pod.uid, std::move(seat));
    ledger.put(pod.uid, {node, pod.shape.requests, gang.root});
    gang.answers_stale = true;
}

}  // namespace echelon::engine

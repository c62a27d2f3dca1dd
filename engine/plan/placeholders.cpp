#include "engine/plan/placeholders.hpp"

#include "base/natural_order.hpp"
#include "engine/gang/member_queries.hpp"
#include "model/gang/member_names.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

// Leaf -> names of the placeholders there, in the order of their numbers.
std::map<model::GroupKey, std::vector<std::string>> names_by_leaf(const GangState& gang) {
    std::map<model::GroupKey, std::vector<std::string>> names;
    for (const auto& [name, seat] : gang.hold().placeholders)
        names[seat.leaf].push_back(name);
    for (auto& [leaf, of_leaf] : names)
        std::ranges::sort(of_leaf, base::NaturalLess{});
    return names;
}

// Names of the members that are expected now.
std::vector<std::string> expected_in(const model::Gang& gang, const model::GangGroup& group) {
    std::vector<std::string> names;
    for (auto m = group.first_member; m < group.last_member; ++m) {
        if (gang.members[m].is_placeholder)
            names.push_back(model::uid_of(gang, m).str());
    }
    return names;
}

// False before the first binding of the leaf: members wait, and none is bound or about to be.
bool has_started(const GangState& gang, const model::Gang& built, const model::GangGroup& leaf) {
    bool is_any_waiting = false;
    for (auto m = leaf.first_member; m < leaf.last_member; ++m) {
        const auto& member = built.members[m];
        if (member.is_placeholder || member.state == model::Member::State::finished)
            continue;
        const auto* seat = gang.roster.seat(member.uid);
        if (member.state == model::Member::State::bound || (seat != nullptr && is_under_way(*seat)))
            return true;
        is_any_waiting = true;
    }
    return !is_any_waiting;
}

// True if the member has no seat yet, or one that would end with the plan.
bool is_newcomer(const GangState& gang, const model::Member& member) {
    if (member.state != model::Member::State::waiting || member.is_placeholder)
        return false;
    const auto* seat = gang.roster.seat(member.uid);
    return seat == nullptr || (!gang.lifecycle.is_committing() && !is_under_way(*seat));
}

// True if a member of the leaf has come. Controllers may create the next one only once it runs.
bool has_newcomer(const GangState& gang, const model::Gang& built, const model::GangGroup& leaf) {
    const auto members = std::span(built.members).subspan(leaf.first_member, leaf.last_member - leaf.first_member);
    return std::ranges::any_of(members, [&gang](const model::Member& member) { return is_newcomer(gang, member); });
}

// [group] Members of each leaf without those for which `is_out(group, member)`.
template <typename Predicate>
Quorum::Counts members_without(const model::Gang& built, const Predicate& is_out) {
    Quorum::Counts counts(built.groups.size(), 0);
    for (std::size_t g = 0; g < built.groups.size(); ++g) {
        const auto& group = built.groups[g];
        for (auto m = group.first_member; group.is_leaf && m < group.last_member; ++m)
            counts[g] += is_out(g, built.members[m]) ? 0 : 1;
    }
    return counts;
}

// Removes the placeholders of leaves for which `drops` is set. They come after the existing members of their leaf.
void drop_placeholders(const std::vector<std::uint8_t>& drops, model::Gang& built) {
    std::uint32_t dropped = 0;
    std::vector<std::uint8_t> is_dropped(built.members.size(), 0);
    for (std::size_t g = 0; g < built.groups.size(); ++g) {
        auto& group = built.groups[g];
        const auto first = group.first_member;
        const auto last = group.last_member;
        group.first_member -= dropped;
        for (auto m = first; drops[g] != 0 && m < last; ++m) {
            is_dropped[m] = built.members[m].is_placeholder ? 1 : 0;
            dropped += is_dropped[m];
        }
        group.last_member -= dropped;
        if (drops[g] == 0)
            continue;
        group.later = 0;
        group.after.clear();
    }
    std::size_t at = 0;
    std::erase_if(built.members, [&](const model::Member& /*member*/) { return is_dropped[at++] != 0; });
}

// What the first such leaf lacks.
std::string shortage_of(const model::Gang& built, const std::vector<std::uint8_t>& drops,
                        const Quorum::Counts& existing) {
    for (std::size_t g = 0; g < built.groups.size(); ++g) {
        const auto& group = built.groups[g];
        if (drops[g] != 0 && existing[g] < group.minimum) {
            return fmt::format("group \"{}\" has {} of at least {} pods; the others weren't created in time",
                               group.key.name, existing[g] - group.earlier_members,
                               group.minimum - group.earlier_members);
        }
    }
    return {};
}

}  // namespace

Placeholders::Placeholders(const Facts& facts, Outbox& outbox, Figures& figures, const Ledger& ledger, Seating& seating,
                           PlanQueue& queue, PlanRecords& records, TreeChecker& checker)
    : facts_(facts),
      outbox_(outbox),
      figures_(figures),
      ledger_(ledger),
      seating_(seating),
      queue_(queue),
      records_(records),
      checker_(checker) {}

bool Placeholders::is_over(const GangState& gang, const model::Gang& built, const model::GangGroup& leaf) const {
    const auto& until = gang.placeholders().until;
    const auto found = until.find(leaf.key);
    return found != until.end() && found->second <= facts_.now && has_started(gang, built, leaf) &&
           !has_newcomer(gang, built, leaf);
}

// Once placeholders are left out, the gang may lack members. But if a needed one has come, the others may follow it.
void Placeholders::leave_out(const GangState& gang, model::Gang& built) const {
    if (gang.placeholders().until.empty())
        return;
    std::vector<std::uint8_t> drops(built.groups.size(), 0);
    for (std::size_t g = 0; g < built.groups.size(); ++g)
        drops[g] = built.groups[g].is_leaf && is_over(gang, built, built.groups[g]) ? 1 : 0;
    const auto is_dropped = [&](std::size_t g, const model::Member& member) {
        return drops[g] != 0 && member.is_placeholder;
    };
    if (std::ranges::count(drops, 1) == 0)
        return;
    const auto has_come = [&](std::size_t /*g*/, const model::Member& member) { return is_newcomer(gang, member); };
    const Quorum quorum(built);
    const auto existing = members_without(built, is_dropped);
    const bool lacks_members = !quorum.meets_declared_minimum(existing);
    if (lacks_members && !quorum.meets_declared_minimum(members_without(built, has_come)))
        return;
    const auto before = built.members.size();
    drop_placeholders(drops, built);
    if (built.members.size() < before && lacks_members && !built.problem)
        built.problem = {model::Reason::incomplete, shortage_of(built, drops, existing)};
}

void Placeholders::forget_limits(GangState& gang, const model::Gang& built) {
    if (gang.placeholders().until.empty())
        return;
    auto& state = gang.placeholders(Key<Placeholders>());
    std::map<model::GroupKey, Time> kept;
    for (const auto& group : built.groups) {
        const auto limit = state.until.find(group.key);
        if (limit == state.until.end() || !has_started(gang, built, group))
            continue;
        // Placeholders whose time was over are left out, or have another time.
        const bool is_any_expected = !expected_in(built, group).empty();
        if (is_any_expected ? limit->second > facts_.now : is_over(gang, built, group))
            kept.insert(*limit);
    }
    state.until = std::move(kept);
}

void Placeholders::take_over(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot) {
    forget_limits(gang, built);
    if (gang.hold().placeholders.empty())
        return;
    end_crowded(gang, snapshot);
    auto names = names_by_leaf(gang);
    std::set<model::GroupKey> leaves;
    for (const auto& group : built.groups) {
        leaves.insert(group.key);
        if (!group.is_leaf)
            continue;
        auto& held = names[group.key];
        const auto expected = expected_in(built, group);
        for (auto m = group.first_member; m < group.last_member && held.size() > expected.size(); ++m)
            take_over_one(gang, built, snapshot, built.members[m], held);
        rename(gang, held, expected);
    }
    for (const auto& [leaf, held] : names) {
        if (leaves.contains(leaf))
            continue;
        for (const auto& name : held)
            seating_.end_placeholder(gang, name);
    }
}

// Victims of a clearing still use the room of the placeholders, and have to leave it (P3).
void Placeholders::end_crowded(GangState& gang, const model::Snapshot& snapshot) {
    if (gang.lifecycle.is_clearing())
        return;
    const auto held = ledger_.held_by(gang.root());
    const auto is_crowded = [&](const std::string& name) {
        const auto node = snapshot.node(name);
        return node && std::ranges::any_of(held.at(name).entries(), [&](const auto& entry) {
                   const auto at = std::ranges::lower_bound(snapshot.resources, entry.first);
                   const auto r = static_cast<std::size_t>(at - snapshot.resources.begin());
                   return r < snapshot.resources.size() && *at == entry.first && entry.second > 0 &&
                          snapshot.room[r][*node] < entry.second;
               });
    };
    std::vector<std::string> crowded;
    for (const auto& [name, placeholder] : gang.hold().placeholders) {
        if (held.contains(placeholder.node) && is_crowded(placeholder.node))
            crowded.push_back(name);
    }
    for (const auto& name : crowded)
        seating_.end_placeholder(gang, name);
}

// `held`: placeholders that `member` may choose from. The one that it takes is removed.
void Placeholders::take_over_one(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                                 const model::Member& member, std::vector<std::string>& held) {
    const auto* pod = facts_.cluster.pod(member.uid);
    if (member.state != model::Member::State::waiting || pod == nullptr || gang.roster.seat(member.uid) != nullptr)
        return;
    const auto& placeholders = gang.hold().placeholders;
    const auto found = std::ranges::find_if(held, [&](const std::string& name) {
        const auto node = snapshot.node(placeholders.at(name).node);
        const auto* hold = ledger_.find(name);
        return node && hold != nullptr && hold->requests == pod->pod_class.requests &&
               snapshot.eligible[member.pod_class][*node] != 0 &&
               !built.affinity.is_barred(member.affinity_class, *node);
    });
    if (found == held.end())
        return;
    seating_.take_over_placeholder(gang, *found, *pod);
    held.erase(found);
    records_.begin_epoch(gang);
    checker_.reset_check(gang);
    if (!gang.lifecycle.is_clearing())  // Until then the seats last as long as the clearing.
        seating_.extend(gang);
    records_.schedule_write(gang, Time{100});
}

// Removes placeholders that are no longer expected, the last first, and gives the others the names that are expected
// now. Both lists are in numeric order and the new names have no gaps, so a new name is never that of a later
// placeholder.
void Placeholders::rename(GangState& gang, std::vector<std::string>& held, const std::vector<std::string>& expected) {
    for (; held.size() > expected.size(); held.pop_back())
        seating_.end_placeholder(gang, held.back());
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (held[i] != expected[i])
            seating_.rename_placeholder(gang, held[i], expected[i]);
    }
}

void Placeholders::hold(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                        const solver::Plan& plan) {
    std::set<std::string> wanted;
    auto leaf = built.groups.begin();
    for (const auto& seat : plan.seats) {  // In member order, and so are the leaves.
        const auto& member = built.members[seat.member];
        if (!member.is_placeholder)
            continue;
        while (!leaf->is_leaf || seat.member >= leaf->last_member)
            ++leaf;
        const auto name = *wanted.insert(model::uid_of(built, seat.member).str()).first;
        seating_.hold_placeholder(gang, name, {leaf->key, snapshot.node_names[seat.node]},
                                  snapshot.pod_classes[member.pod_class]);
    }
    std::vector<std::string> unplanned;
    for (const auto& [name, seat] : gang.hold().placeholders) {
        if (!wanted.contains(name))
            unplanned.push_back(name);
    }
    for (const auto& name : unplanned)
        seating_.end_placeholder(gang, name);
    gang.placeholders(Key<Placeholders>()).next = never;  // Leaves may have come.
    check(gang);
}

void Placeholders::begin_attempt(GangState& gang) {
    gang.placeholders(Key<Placeholders>()) = {};
}

void Placeholders::set_limits(GangState& gang) {
    auto& state = gang.placeholders(Key<Placeholders>());
    state.next = never;
    for (const auto& [name, seat] : gang.hold().placeholders) {
        const auto end = facts_.now + facts_.options.placeholder_lifetime;
        state.next = std::min(state.next, state.until.try_emplace(seat.leaf, end).first->second);
    }
}

bool Placeholders::check(GangState& gang) {
    const auto& held = gang.hold().placeholders;
    if (held.empty())
        return false;
    auto& state = gang.placeholders(Key<Placeholders>());
    if (!gang.roster.seats().empty() && !gang.roster.counts().has_begun()) {
        state = {};  // Before the first binding they last as long as the hold.
        return false;
    }
    if (state.next == never)
        set_limits(gang);
    if (facts_.now < state.next)
        return false;
    std::vector<std::string> over;
    for (const auto& [name, seat] : held) {
        if (end_of_placeholder(gang, name) <= facts_.now)
            over.push_back(name);
    }
    for (const auto& name : over)
        seating_.end_placeholder(gang, name);
    set_limits(gang);
    if (over.empty())
        return false;
    outbox_.note(Note::Level::warning, gang.root(),
                 fmt::format("{} of its pods weren't created in time; their seats are given back", over.size()));
    figures_.add(&Stats::holds_expired);
    queue_.plan_at(gang, facts_.now);  // Perhaps too few members are left.
    records_.schedule_write(gang, Time{100});
    return true;
}

}  // namespace echelon::engine

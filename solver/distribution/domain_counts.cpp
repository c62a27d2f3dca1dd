#include "solver/distribution/domain_counts.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace echelon::solver {
namespace {

using model::GangGroup;
using model::LevelRef;
using model::Member;

// Adds the units that have a member to the replicas of their kind.
void count_units(std::span<const std::uint32_t> kind_of_unit, std::span<const std::int64_t> members,
                 std::vector<std::int64_t>& replicas) {
    for (std::size_t unit = 0; unit < members.size(); ++unit) {
        replicas[kind_of_unit[unit]] += members[unit] > 0 ? 1 : 0;
    }
}

// Children with equal shares must have equal counts, so only different shares are compared. There are few: they add up
// to at most the number of members.
bool are_in_proportion(std::span<const std::int64_t> shares, std::span<const std::int64_t> there) {
    std::map<std::int64_t, std::int64_t> count_of_share;
    for (std::size_t kind = 0; kind < shares.size(); ++kind) {
        const auto [entry, is_new] = count_of_share.emplace(shares[kind], there[kind]);
        if (shares[kind] > 0 && !is_new && entry->second != there[kind]) {
            return false;
        }
    }
    count_of_share.erase(0);
    for (const auto& [one, of_one] : count_of_share) {
        for (const auto& [other, of_other] : count_of_share) {
            if (of_one > most_beside(one, other, of_other)) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace

std::int64_t most_beside(std::int64_t a, std::int64_t b, std::int64_t there) {
    return a >= b ? (a + b - 1) / b * there : there / (b / a);
}

std::int64_t least_beside(std::int64_t a, std::int64_t b, std::int64_t there) {
    const std::int64_t most = (b + a - 1) / a;
    return a >= b ? a / b * there : (there + most - 1) / most;
}

DomainCounts::DomainCounts(const model::Snapshot& snapshot, const model::Gang& gang, const Demand& demand,
                           CapacityBounds& bounds, const LevelPartition& parts, SearchBudget& budget)
    : snapshot_(snapshot), gang_(gang), demand_(demand), bounds_(bounds), parts_(parts), budget_(budget) {
    for (const model::DomainLimit& limit : gang.domain_limits) {
        Rule& rule = rules_.emplace_back();
        rule.group = limit.group;
        rule.level = limit.level;
        rule.most = limit.most;
        number_limit(rule);
    }
    for (const model::Pairing& pairing : gang.pairings) {
        Rule& rule = rules_.emplace_back();
        rule.group = pairing.group;
        rule.level = pairing.level;
        rule.shares = pairing.replicas;
        number_pair(rule);
    }
    for (Rule& rule : rules_) {
        rule.is_along = rule.level.tree == parts.tree();
        count_bound(rule);
    }
}

// Gives all leaves below a group one kind and unit.
void DomainCounts::number(std::uint32_t group, std::uint32_t kind, std::uint32_t unit, Rule& rule) const {
    rule.kinds.resize(std::max<std::size_t>(rule.kinds.size(), group - rule.group + 1), model::nowhere);
    rule.units.resize(rule.kinds.size(), model::nowhere);
    rule.kinds[group - rule.group] = kind;
    rule.units[group - rule.group] = unit;
    for (const std::uint32_t child : gang_.groups[group].children) {
        number(child, kind, unit, rule);
    }
}

void DomainCounts::number_limit(Rule& rule) const {
    rule.last_batch = {-1};
    if (gang_.groups[rule.group].is_leaf) {
        return number(rule.group, 0, model::nowhere, rule);
    }
    for (const std::uint32_t child : gang_.groups[rule.group].children) {
        number(child, 0, static_cast<std::uint32_t>(rule.kind_of_unit.size()), rule);
        rule.kind_of_unit.push_back(0);
    }
}

void DomainCounts::number_pair(Rule& rule) const {
    rule.last_batch.assign(rule.shares.size(), -1);
    for (std::uint32_t kind = 0; kind < rule.shares.size(); ++kind) {
        const std::uint32_t child = gang_.groups[rule.group].children[kind];
        if (gang_.groups[child].is_leaf) {
            number(child, kind, model::nowhere, rule);
        }
        for (const std::uint32_t replica : gang_.groups[child].children) {
            number(replica, kind, static_cast<std::uint32_t>(rule.kind_of_unit.size()), rule);
            rule.kind_of_unit.push_back(kind);
            rule.is_balanced = rule.is_balanced && is_confined(replica, rule.level);
        }
    }
}

bool DomainCounts::is_confined(std::uint32_t group, LevelRef level) const {
    return std::ranges::any_of(gang_.groups[group].required, [&](LevelRef required) {
        return required.tree == level.tree && required.depth >= level.depth;
    });
}

void DomainCounts::add(const Rule& rule, std::uint32_t leaf, std::int64_t count, Counts& to) {
    const std::uint32_t unit = rule.unit_of(leaf);
    if (unit == model::nowhere) {
        to.replicas[rule.kind_of(leaf)] += count;
        return;
    }
    const bool was_there = to.members[unit] > 0;
    to.members[unit] += count;
    const bool is_there = to.members[unit] > 0;
    to.replicas[rule.kind_of(leaf)] += (is_there ? 1 : 0) - (was_there ? 1 : 0);
}

void DomainCounts::count_bound(Rule& rule) const {
    const auto& domain_of = snapshot_.trees[rule.level.tree].domain_of[rule.level.depth];
    for (std::uint32_t g = rule.group; g - rule.group < rule.kinds.size(); ++g) {
        const GangGroup& leaf = gang_.groups[g];
        budget_.charge(1 + leaf.last_member - leaf.first_member);
        for (std::uint32_t m = leaf.first_member; m < leaf.last_member && leaf.is_leaf && rule.has(g); ++m) {
            const Member& member = gang_.members[m];
            if (member.state != Member::State::bound || member.node == model::nowhere ||
                domain_of[member.node] == model::nowhere) {
                continue;
            }
            Counts& there = rule.bound_counts[domain_of[member.node]];
            there.replicas.resize(rule.last_batch.size(), 0);
            there.members.resize(rule.kind_of_unit.size(), 0);
            add(rule, g, 1, there);
        }
    }
    for (const auto& [domain, there] : rule.bound_counts) {
        rule.is_balanced = rule.is_balanced && are_in_proportion(rule.shares, there.replicas);
    }
}

void DomainCounts::follow(std::span<const PodBatch> batches, std::span<const std::size_t> resources) {
    batches_ = batches;
    std::map<std::uint32_t, std::vector<std::size_t>> by_group;
    for (std::size_t rule = 0; rule < rules_.size(); ++rule) {
        by_group[rules_[rule].group].push_back(rule);
    }
    rules_of_.resize(batches.size());
    for (std::size_t batch = 0; batch < batches.size() && exist(); ++batch) {
        for (std::uint32_t g = batches[batch].group; g != model::nowhere; g = gang_.groups[g].parent) {
            if (const auto found = by_group.find(g); found != by_group.end()) {
                std::ranges::copy_if(found->second, std::back_inserter(rules_of_[batch]),
                                     [&](std::size_t rule) { return rules_[rule].has(batches[batch].group); });
            }
        }
        for (const std::size_t rule : rules_of_[batch]) {
            rules_[rule].last_batch[rules_[rule].kind_of(batches[batch].group)] = static_cast<std::int64_t>(batch);
        }
    }
    for (Rule& rule : rules_) {
        if (rule.is_along) {
            measure_replicas(rule, resources);
            measure_room(rule);
        }
    }
}

// True if the part is a domain of the level, or a run of nodes that lack its label.
bool DomainCounts::is_at(const Rule& rule, PartId part) const {
    return part != whole && parts_[part].depth == rule.level.depth;
}

DomainCounts::Counts& DomainCounts::counts(Rule& rule, PartId part) {
    const auto [entry, is_new] = rule.by_part.try_emplace(part);
    Counts& here = entry->second;
    if (!is_new) {
        return here;
    }
    here.replicas.assign(rule.last_batch.size(), 0);
    here.members.assign(rule.kind_of_unit.size(), 0);
    const auto& domains = snapshot_.trees[rule.level.tree].domains[rule.level.depth];
    std::vector<std::int64_t> of_units(here.replicas.size(), 0);
    for (const auto& [domain, there] : rule.bound_counts) {
        if (domains[domain].first < parts_[part].first || domains[domain].first >= parts_[part].last) {
            continue;
        }
        for (std::size_t unit = 0; unit < here.members.size(); ++unit) {
            here.members[unit] += there.members[unit];
        }
        for (std::size_t kind = 0; kind < here.replicas.size(); ++kind) {
            here.replicas[kind] += there.replicas[kind];
        }
        count_units(rule.kind_of_unit, there.members, of_units);
    }
    // A unit with members in several domains counts once.
    for (std::size_t kind = 0; kind < here.replicas.size(); ++kind) {
        here.replicas[kind] -= of_units[kind];
    }
    count_units(rule.kind_of_unit, here.members, here.replicas);
    budget_.charge((here.replicas.size() + here.members.size()) * (1 + rule.bound_counts.size()));
    return here;
}

std::int64_t DomainCounts::room_of(const Rule& rule, std::uint32_t kind, PartId part) const {
    return rule.room[kind][parts_[part].last] - rule.room[kind][parts_[part].first];
}

// The other children of a pair: those whose batches all come before this one, and the rest.
DomainCounts::Partners DomainCounts::partners_of(const Rule& rule, std::uint32_t kind, std::size_t batch) {
    Partners partners;
    for (std::uint32_t other = 0; other < rule.shares.size(); ++other) {
        const bool is_decided = rule.last_batch[other] < static_cast<std::int64_t>(batch);
        std::vector<std::uint32_t>& some = is_decided ? partners.decided : partners.undecided;
        if (other != kind && rule.shares[other] > 0 && some.size() < most_partners) {
            some.push_back(other);
        }
    }
    return partners;
}

std::int64_t DomainCounts::most_of_pair(const Rule& rule, std::uint32_t batch, std::int64_t wanted, const Counts& here,
                                        bool is_node, std::span<const std::int64_t> remaining) const {
    const std::uint32_t kind = rule.kind_of(batches_[batch].group);
    const Partners partners = partners_of(rule, kind, batch);
    budget_.charge(rule.shares.size());
    std::int64_t most = here.replicas[kind] + wanted;
    for (const std::uint32_t other : partners.decided) {
        most = std::min(most, most_beside(rule.shares[kind], rule.shares[other], here.replicas[other]));
    }
    most = most_beside_undecided(rule, kind, most, here, partners, remaining,
                                 is_node ? rule.of_resources : rule.of_bounds);
    while (rule.last_batch[kind] == static_cast<std::int64_t>(batch) && most > here.replicas[kind] &&
           !may_be_final(rule, kind, most, here, partners)) {
        --most;
    }
    return most - here.replicas[kind];
}

// The last batch of a kind decides its number.
bool DomainCounts::may_take(PartId part, std::uint32_t batch, std::int64_t count) {
    return std::ranges::all_of(rules_of_[batch], [&](std::size_t r) {
        Rule& rule = rules_[r];
        const std::uint32_t kind = rule.kind_of(batches_[batch].group);
        const bool is_inside = parts_[part].depth > rule.level.depth;
        if (!rule.is_along || rule.most > 0 || is_inside || rule.shares[kind] == 0 ||
            (!is_at(rule, part) && !rule.is_balanced) || rule.unit_of(batches_[batch].group) != model::nowhere ||
            rule.last_batch[kind] != static_cast<std::int64_t>(batch)) {
            return true;
        }
        const Counts& here = counts(rule, part);
        return may_be_final(rule, kind, here.replicas[kind] + count, here, partners_of(rule, kind, batch));
    });
}

std::int64_t DomainCounts::most(PartId part, std::uint32_t batch, std::int64_t most,
                                std::span<const std::int64_t> remaining) {
    for (const std::size_t r : rules_of_[batch]) {
        Rule& rule = rules_[r];
        const bool is_inside = part != whole && parts_[part].depth > rule.level.depth;
        if (!rule.is_along || is_inside) {
            continue;
        }
        most = most_by(rule, part, batch, most, remaining);
        if (most == 0) {
            return 0;
        }
    }
    return most;
}

std::int64_t DomainCounts::most_by(Rule& rule, PartId part, std::uint32_t batch, std::int64_t most,
                                   std::span<const std::int64_t> remaining) {
    if (is_at(rule, part) && parts_[part].domain == model::nowhere) {
        return 0;
    }
    const std::uint32_t leaf = batches_[batch].group;
    const std::uint32_t kind = rule.kind_of(leaf);
    const Counts& here = counts(rule, part);
    const std::uint32_t unit = rule.unit_of(leaf);
    const bool is_pair = rule.most == 0;
    if ((unit != model::nowhere && here.members[unit] > 0) ||
        (is_pair && (rule.shares[kind] == 0 || (!is_at(rule, part) && !rule.is_balanced)))) {
        return most;
    }
    const bool is_node = part != whole && parts_[part].depth + 1 == parts_.levels();
    std::int64_t replicas = is_pair
                                ? most_of_pair(rule, batch, unit == model::nowhere ? most : 1, here, is_node, remaining)
                                : std::numeric_limits<std::int64_t>::max();
    if ((!is_at(rule, part) || !is_pair) && !rule.room.empty()) {
        replicas = std::min(replicas, room_of(rule, kind, part) - here.replicas[kind]);
    }
    if (replicas <= 0) {
        return 0;
    }
    return unit == model::nowhere ? std::min(most, replicas) : most;
}

void DomainCounts::account(PartId part, std::uint32_t batch, std::int64_t count) {
    for (const std::size_t r : rules_of_[batch]) {
        Rule& rule = rules_[r];
        const bool is_inside = part != whole && parts_[part].depth > rule.level.depth;
        if (rule.is_along && !is_inside) {
            Counts& here = counts(rule, part);
            add(rule, batches_[batch].group, count, here);
            here.seats += count;
        }
    }
}

bool DomainCounts::hold(PartId part, std::size_t batch) {
    budget_.charge(rules_.size() * 8);
    return std::ranges::all_of(rules_, [&](Rule& rule) {
        const bool is_inside = part != whole && parts_[part].depth > rule.level.depth;
        if (!rule.is_along || rule.most > 0 || is_inside || (!is_at(rule, part) && !rule.is_balanced)) {
            return true;
        }
        const Counts& here = counts(rule, part);
        budget_.charge(rule.shares.size() * 8);
        std::vector<std::int64_t> shares = rule.shares;
        for (std::size_t kind = 0; kind < shares.size(); ++kind) {
            shares[kind] = rule.last_batch[kind] < static_cast<std::int64_t>(batch) ? shares[kind] : 0;
        }
        return here.seats == 0 || are_in_proportion(shares, here.replicas);
    });
}

bool DomainCounts::hold_elsewhere(std::span<const Placement> placements) {
    return std::ranges::all_of(rules_, [&](const Rule& rule) {
        if (rule.is_along) {
            return true;
        }
        const auto& domain_of = snapshot_.trees[rule.level.tree].domain_of[rule.level.depth];
        std::map<std::uint32_t, Counts> after;
        for (const Placement& placement : placements) {
            const std::uint32_t leaf = batches_[placement.batch].group;
            if (!rule.has(leaf)) {
                continue;
            }
            const std::uint32_t domain = domain_of[placement.node];
            const auto [entry, is_new] = after.try_emplace(domain);
            if (const auto before = rule.bound_counts.find(domain); is_new && before != rule.bound_counts.end()) {
                entry->second = before->second;
            }
            entry->second.replicas.resize(rule.last_batch.size(), 0);
            entry->second.members.resize(rule.kind_of_unit.size(), 0);
            add(rule, leaf, placement.count, entry->second);
        }
        budget_.charge(placements.size() * 16 + after.size() * (rule.last_batch.size() + rule.kind_of_unit.size()));
        return std::ranges::all_of(after, [&](const auto& entry) {
            const auto& [domain, there] = entry;
            if (domain == model::nowhere) {
                return false;
            }
            const auto before = rule.bound_counts.find(domain);
            const std::int64_t bound = before == rule.bound_counts.end() ? 0 : before->second.replicas.front();
            return rule.most > 0 ? there.replicas.front() <= std::max(rule.most, bound)
                                 : are_in_proportion(rule.shares, there.replicas);
        });
    });
}

}  // namespace echelon::solver

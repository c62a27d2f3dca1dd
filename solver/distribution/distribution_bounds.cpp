// The bounds of the division: what a part can still take, what is alike, and what can't become the best plan any more.

#include "solver/distribution/distribution.hpp"
#include "solver/packing/hash.hpp"
#include "solver/packing/slots.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace echelon::solver {
namespace {

constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();

}  // namespace

void Distribution::enter(CellId part) {
    if (offset_.size() <= part) {
        offset_.resize(parts_.size(), unknown);
    }
    if (offset_[part] != unknown) {
        return;
    }
    offset_[part] = states_.size();
    steps_.work(lots_.size() + preferred_along_tree_.size() + gauges_.count() +
                needs_.groups[0].bound.size() * (1 + preferred_along_tree_.size()));
    const bool is_host = is_node(part);
    states_.resize(states_.size() + lots_.size() + preferred_along_tree_.size() + 2 +
                   (is_host ? resources_.size() : gauges_.count()));
    if (part == whole) {
        return;
    }
    for (std::size_t r = 0; r < resources_.size() && is_host; ++r) {
        load(part, r) = room_[resources_[r]][parts_.node(part)];
    }
    const std::vector<model::NodeId>& bound = needs_.groups[0].bound;
    for (std::size_t b = 0; b < bound.size(); ++b) {
        for (std::size_t p = 0; p < preferred_along_tree_.size() && bound_parts_[b][parts_[part].depth] == part; ++p) {
            uses(part, p) +=
                std::ranges::binary_search(needs_.groups[preferred_along_tree_[p].group].bound, bound[b]) ? 1 : 0;
        }
    }
}

// Required levels, as far as they are settled at the level of the part.
bool Distribution::is_allowed(CellId part, std::uint32_t lot) const {
    const Part& here = parts_[part];
    return std::ranges::all_of(limits_of_[lot], [&](std::size_t l) {
        const Limit& limit = limits_[l];
        if (limit.level.tree != parts_.tree()) {
            const auto& domain_of = snapshot_.trees[limit.level.tree].domain_of[limit.level.depth];
            const std::uint32_t domain = is_node(part) ? domain_of[parts_.node(part)] : model::nowhere;
            return !is_node(part) || (domain != model::nowhere && (limit.uses[0] == 0 || limit.where[0] == domain));
        }
        const bool is_settled = here.depth < limit.level.depth || here.domain != model::nowhere;
        return here.depth > limit.level.depth ||
               (is_settled && (limit.uses[here.depth] == 0 || limit.where[here.depth] == part));
    });
}

// Pods that may not stand beside this one are there already (D14).
bool Distribution::has_conflict(CellId part, std::uint32_t lot) const {
    const std::uint32_t size = lots_[lot].size;
    return is_node(part) && needs_.relations.touch(size) && company_.has_conflict_at(size, parts_.node(part));
}

std::int64_t Distribution::most(CellId part, std::uint32_t lot, std::int64_t left) {
    if (!is_allowed(part, lot) || has_conflict(part, lot)) {
        return 0;
    }
    return most_by_rules(part, lot, most_by_multiples(part, lot, std::min(left, most_by_room(part, lot))));
}

bool Distribution::is_together(std::uint32_t lot, std::uint32_t level) const {
    return std::ranges::any_of(limits_of_[lot], [&](std::size_t l) {
        return limits_[l].level.tree == parts_.tree() && level <= limits_[l].level.depth;
    });
}

std::int64_t Distribution::most_by_room(CellId part, std::uint32_t lot) {
    const std::uint32_t size = lots_[lot].size;
    const model::PodClassId shape = needs_.sizes[size];
    std::int64_t most = most_slots;
    if (is_node(part)) {
        most = snapshot_.eligible[shape][parts_.node(part)] != 0 ? most : 0;
        if (needs_.relations.touch(size)) {
            most = std::min(most, needs_.relations.limit(size, parts_.node(part)));
        }
        for (std::size_t r = 0; r < resources_.size() && most > 0; ++r) {
            if (const std::int64_t need = snapshot_.need[shape][resources_[r]]; need > 0) {
                const std::int64_t room = load(part, r);
                most = room < need ? 0 : std::min(most, room / need);
            }
        }
        return most;
    }
    for (std::size_t gauge = 0; gauge < gauges_.count() && most > 0; ++gauge) {
        if (const std::int64_t weight = gauges_.weight_of(gauge, size); weight > 0) {
            const std::int64_t rest =
                gauges_.cap(gauge, parts_.tree(), parts_[part].first, parts_[part].last) - load(part, gauge);
            most = rest < weight ? 0 : std::min(most, rest / weight);
        }
    }
    return most;
}

std::int64_t Distribution::members_of(CellId part, std::uint32_t group) {
    std::int64_t members = 0;
    for (std::uint32_t l = 0; l < lots_.size(); ++l) {
        members += objective_.is_below(lots_[l].group, group) ? share(part, l) : 0;
    }
    return members;
}

bool Distribution::Multiple::is_whole(std::uint32_t domain, std::int64_t seats) const {
    const auto part = begun.find(domain);
    return seats % number == 0 || (part != begun.end() && (part->second + seats) % number == 0);
}

std::int64_t Distribution::Multiple::most_whole(std::uint32_t domain, std::int64_t room) const {
    const std::int64_t most = room / number * number;
    const auto part = begun.find(domain);
    return part == begun.end() ? most : std::max(most, (part->second + room) / number * number - part->second);
}

// A part holds no more members than it has slots for the smallest of them, and whole multiples only.
std::int64_t Distribution::most_by_multiples(CellId part, std::uint32_t lot, std::int64_t most) {
    for (const std::size_t m : multiples_of_[lot]) {
        const Multiple& multiple = multiples_[m];
        if (parts_[part].depth > multiple.level.depth) {
            continue;
        }
        if (parts_[part].depth == multiple.level.depth && parts_[part].domain == model::nowhere) {
            return 0;
        }
        // Around domains of the level nothing is known once a part of a multiple stands in one of them.
        const bool is_around = parts_[part].depth < multiple.level.depth;
        if (multiple.smallest != model::nowhere && (!is_around || multiple.begun.empty())) {
            const std::int64_t here = members_of(part, multiple.group);
            const std::int64_t room = here + most_by_room(part, multiple.smallest);
            const std::uint32_t domain = is_around ? model::nowhere : parts_[part].domain;
            most = std::min(most, multiple.most_whole(domain, room) - here);
        }
    }
    return most;
}

std::int64_t Distribution::most_by_rules(CellId part, std::uint32_t lot, std::int64_t most) {
    if (!rules_.exist() || most <= 0) {
        return most;
    }
    std::vector<std::int64_t> rest;
    for (std::size_t r = 0; r < resources_.size() && is_node(part); ++r) {
        rest.push_back(load(part, r));
    }
    for (std::size_t gauge = 0; gauge < gauges_.count() && !is_node(part); ++gauge) {
        rest.push_back(gauges_.cap(gauge, parts_.tree(), parts_[part].first, parts_[part].last) - load(part, gauge));
    }
    steps_.work(rest.size() * 4);
    return rules_.most(part, lot, most, rest);
}

// Below a part that is divided, of which the lots before this one are.
bool Distribution::rules_hold(CellId around, std::size_t lot) {
    if (!rules_.exist()) {
        return true;
    }
    const std::uint32_t depth = around == whole ? 0 : parts_[around].depth + 1;
    steps_.work(loaded_[depth].size() * 4);
    return std::ranges::all_of(loaded_[depth], [&](CellId part) {
        const bool is_inside = parts_[part].first >= parts_[around].first && parts_[part].last <= parts_[around].last;
        return !is_inside || rules_.hold(part, lot);
    });
}

// The last lot of a group below a part settles whether its multiples hold there.
bool Distribution::completes(const Spreading& s, std::size_t choice, std::int64_t count) {
    const CellId part = s.choices[choice].part;
    const CellId around = tasks_[s.level][s.task];
    return std::ranges::all_of(multiples_of_[s.lot], [&](std::size_t m) {
        const Multiple& multiple = multiples_[m];
        if (s.level > multiple.level.depth || (s.level < multiple.level.depth && !multiple.begun.empty())) {
            return true;
        }
        for (std::uint32_t l = s.lot + 1; l < lots_.size(); ++l) {
            if (share(around, l) > 0 && objective_.is_below(lots_[l].group, multiple.group)) {
                return true;  // Not the last.
            }
        }
        const std::uint32_t domain = s.level < multiple.level.depth ? model::nowhere : parts_[part].domain;
        return multiple.is_whole(domain, members_of(part, multiple.group) + count);
    });
}

// Below a part that is divided.
bool Distribution::multiples_hold(CellId around) {
    for (const Multiple& multiple : multiples_) {
        steps_.work(4 + (multiple.level.tree == parts_.tree() ? loaded_.back().size() * lots_.size() : 0));
    }
    const std::uint32_t depth = around == whole ? 0 : parts_[around].depth + 1;
    return std::ranges::all_of(multiples_, [&](const Multiple& multiple) {
        const bool is_around = depth < multiple.level.depth;
        if (multiple.level.tree != parts_.tree() || depth > multiple.level.depth ||
            (is_around && !multiple.begun.empty())) {
            return true;
        }
        return std::ranges::all_of(loaded_[depth], [&](CellId part) {
            const bool is_inside =
                parts_[part].first >= parts_[around].first && parts_[part].last <= parts_[around].last;
            const std::uint32_t domain = is_around ? model::nowhere : parts_[part].domain;
            return !is_inside || multiple.is_whole(domain, members_of(part, multiple.group));
        });
    });
}

// Those of other trees, once every pod has its node.
bool Distribution::multiples_elsewhere_hold(std::span<const Placement> placements) const {
    return std::ranges::all_of(multiples_, [&](const Multiple& multiple) {
        if (multiple.level.tree == parts_.tree()) {
            return true;
        }
        std::map<std::uint32_t, std::int64_t> members;
        for (const Placement& placement : placements) {
            if (objective_.is_below(lots_[placement.lot].group, multiple.group)) {
                const auto& domain_of = snapshot_.trees[multiple.level.tree].domain_of[multiple.level.depth];
                members[domain_of[placement.node]] += placement.count;
            }
        }
        return std::ranges::all_of(members, [&](const auto& entry) {
            return entry.first != model::nowhere && multiple.is_whole(entry.first, entry.second);
        });
    });
}

void Distribution::account(CellId part, std::uint32_t lot, std::int64_t count) {
    share(part, lot) += count;
    if (rules_.exist()) {
        rules_.account(part, lot, count);
    }
    const bool is_host = is_node(part);
    for (std::size_t r = 0; r < resources_.size() && is_host; ++r) {
        load(part, r) -= count * snapshot_.need[needs_.sizes[lots_[lot].size]][resources_[r]];
    }
    if (is_host && needs_.relations.touch(lots_[lot].size)) {
        company_.add(lots_[lot].size, parts_.node(part), count);
    }
    for (std::size_t gauge = 0; gauge < gauges_.count() && !is_host; ++gauge) {
        load(part, gauge) += count * gauges_.weight_of(gauge, lots_[lot].size);
    }
    if (part == whole) {
        return;
    }
    const std::uint32_t depth = parts_[part].depth;
    if (members(part) == 0) {
        loaded_[depth].push_back(part);
    }
    members(part) += count;
    taken(part) += count * scarce_need(lot);
    if (members(part) == 0) {
        loaded_[depth].pop_back();  // Shares are taken back in the order opposite to the one they were given in.
    }
    account_limits(part, lot, count);
    account_preferences(part, lot, count);
}

void Distribution::account_limits(CellId part, std::uint32_t lot, std::int64_t count) {
    const std::uint32_t depth = parts_[part].depth;
    for (const std::size_t l : limits_of_[lot]) {
        Limit& limit = limits_[l];
        if (limit.level.tree == parts_.tree() && depth <= limit.level.depth) {
            limit.where[depth] = part;
            limit.uses[depth] += count;
        } else if (limit.level.tree != parts_.tree() && is_node(part)) {
            limit.where[0] = snapshot_.trees[limit.level.tree].domain_of[limit.level.depth][parts_.node(part)];
            limit.uses[0] += count;
        }
    }
}

void Distribution::account_preferences(CellId part, std::uint32_t lot, std::int64_t count) {
    const std::uint32_t depth = parts_[part].depth;
    const std::int64_t cost = parts_[part].domain == model::nowhere ? 2 : 1;
    for (const std::size_t p : preferences_of_[lot]) {
        if (depth > preferred_along_tree_[p].level.depth) {
            continue;
        }
        const bool was_used = uses(part, p) > 0;
        uses(part, p) += count;
        const bool is_used = uses(part, p) > 0;
        const std::int64_t change = (is_used ? 1 : 0) - (was_used ? 1 : 0);
        parts_used_[p][depth] += change;
        cost_[p][depth] += change * cost;
    }
}

bool Distribution::are_alike(const Spreading& s, std::size_t choice) {
    if (choice == 0 || !is_one_tree_ || needs_.relations.exist() ||
        preferred_along_tree_.size() != objective_.preferences().size()) {
        return false;
    }
    const Choice& one = s.choices[choice - 1];
    const Choice& other = s.choices[choice];
    const auto is_touched = [&](CellId part) {
        return members(part) - share(part, s.lot) > 0 ||
               std::ranges::any_of(bound_parts_, [&](const auto& around) { return around[s.level] == part; });
    };
    if (one.most != other.most || one.free != other.free || one.likeness != other.likeness || is_touched(one.part) ||
        is_touched(other.part) || share(other.part, s.lot) > 0) {
        return false;
    }
    return contents(one.part) == contents(other.part);
}

std::uint64_t Distribution::contents_of(model::NodeId node) const {
    std::uint64_t number = mix(snapshot_.usable[node]);
    for (const model::PodClassId shape : needs_.sizes) {
        number = mix(number ^ snapshot_.eligible[shape][node]);
    }
    for (const std::size_t r : resources_) {
        number = mix(number ^ static_cast<std::uint64_t>(room_[r][node]));
    }
    for (const auto& domain_of : snapshot_.trees[parts_.tree()].domain_of) {
        number = mix(number ^ (domain_of[node] == model::nowhere ? 0 : 1));
    }
    return number;
}

// Equal for parts whose parts are equal one by one, whatever their order.
std::uint64_t Distribution::contents(CellId part) {
    if (const auto known = contents_.find(part); known != contents_.end()) {
        return known->second;
    }
    const Part here = parts_[part];
    (void)spend((here.last - here.first) / 16);
    steps_.work((here.last - here.first) * 4 * (1 + needs_.sizes.size() + resources_.size() + parts_.levels()));
    const model::Tree& tree = snapshot_.trees[parts_.tree()];
    std::vector<std::uint64_t> numbers;
    for (std::uint32_t i = here.first; i < here.last; ++i) {
        numbers.push_back(contents_of(tree.order[i]));
    }
    for (std::uint32_t depth = parts_.levels(); depth-- > here.depth + 1;) {
        const auto& domain_of = tree.domain_of[depth];
        for (std::size_t first = 0, i = 0; i < numbers.size();) {
            std::uint64_t sum = 0;
            for (; i < numbers.size() &&
                   domain_of[tree.order[here.first + i]] == domain_of[tree.order[here.first + first]];
                 ++i) {
                sum += std::exchange(numbers[i], 0);
            }
            numbers[first] = mix(sum + depth);  // The whole number of a part goes to its first node.
            first = i;
        }
    }
    const std::uint64_t number =
        mix(std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{here.last - here.first}));
    contents_.emplace(part, number);
    return number;
}

}  // namespace echelon::solver

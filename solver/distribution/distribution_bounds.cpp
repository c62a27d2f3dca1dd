// The bounds of the distribution: what a part can still take, and which parts are interchangeable.

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

void Distribution::ensure_state(PartId part) {
    if (offset_.size() <= part) {
        offset_.resize(parts_.size(), unknown);
    }
    if (offset_[part] != unknown) {
        return;
    }
    offset_[part] = states_.size();
    budget_.charge(batches_.size() + preferred_along_tree_.size() + bounds_.count() +
                   demand_.groups[0].bound_nodes.size() * (1 + preferred_along_tree_.size()));
    const bool is_host = is_node(part);
    states_.resize(states_.size() + batches_.size() + preferred_along_tree_.size() + 2 +
                   (is_host ? resources_.size() : bounds_.count()));
    if (part == whole) {
        return;
    }
    for (std::size_t r = 0; r < resources_.size() && is_host; ++r) {
        room_left(part, r) = room_[resources_[r]][parts_.node(part)];
    }
    const std::vector<model::NodeId>& bound = demand_.groups[0].bound_nodes;
    for (std::size_t b = 0; b < bound.size(); ++b) {
        for (std::size_t p = 0; p < preferred_along_tree_.size() && bound_parts_[b][parts_[part].depth] == part; ++p) {
            members_in(part, p) +=
                std::ranges::binary_search(demand_.groups[preferred_along_tree_[p].group].bound_nodes, bound[b]) ? 1
                                                                                                                 : 0;
        }
    }
}

// False if a required level, as far as it is decided at the level of the part, excludes the part.
bool Distribution::is_allowed(PartId part, std::uint32_t batch) const {
    const Part& here = parts_[part];
    return std::ranges::all_of(required_levels_of_[batch], [&](std::size_t l) {
        const RequiredLevel& required = required_levels_[l];
        if (required.level.tree != parts_.tree()) {
            const auto& domain_of = snapshot_.trees[required.level.tree].domain_of[required.level.depth];
            const std::uint32_t domain = is_node(part) ? domain_of[parts_.node(part)] : model::nowhere;
            return !is_node(part) ||
                   (domain != model::nowhere && (required.members[0] == 0 || required.where[0] == domain));
        }
        const bool is_inside = here.depth < required.level.depth || here.domain != model::nowhere;
        return here.depth > required.level.depth ||
               (is_inside && (required.members[here.depth] == 0 || required.where[here.depth] == part));
    });
}

// True if a pod that conflicts with this batch is there already (D14).
bool Distribution::has_conflict(PartId part, std::uint32_t batch) const {
    const std::uint32_t member_class = batches_[batch].member_class;
    return is_node(part) && demand_.conflicts.touch(member_class) &&
           placed_.has_conflict_at(member_class, parts_.node(part));
}

std::int64_t Distribution::most(PartId part, std::uint32_t batch, std::int64_t left) {
    if (!is_allowed(part, batch) || has_conflict(part, batch)) {
        return 0;
    }
    return most_by_rules(part, batch, most_by_multiples(part, batch, std::min(left, most_by_room(part, batch))));
}

bool Distribution::is_indivisible(std::uint32_t batch, std::uint32_t level) const {
    return std::ranges::any_of(required_levels_of_[batch], [&](std::size_t l) {
        return required_levels_[l].level.tree == parts_.tree() && level <= required_levels_[l].level.depth;
    });
}

// How many pods of the class the node's zones and devices hold beside the gang's pods there.
std::int64_t Distribution::most_inside(PartId part, std::uint32_t member_class) {
    const model::NodeId node = parts_.node(part);
    if (!demand_.inside.bind(member_class, node)) {
        return most_slots;
    }
    std::vector<std::int64_t> placed(demand_.classes.size(), 0);
    for (std::uint32_t batch = 0; batch < batches_.size(); ++batch) {
        placed[batches_[batch].member_class] += share(part, batch);
    }
    const std::int64_t most = demand_.inside.most(member_class, node, placed);
    budget_.charge(batches_.size() + demand_.inside.take_work());
    return most;
}

std::int64_t Distribution::most_by_room(PartId part, std::uint32_t batch) {
    const std::uint32_t member_class = batches_[batch].member_class;
    const model::PodClassId pod_class = demand_.classes[member_class];
    std::int64_t most = most_slots;
    if (is_node(part)) {
        most = snapshot_.eligible[pod_class][parts_.node(part)] != 0 ? most : 0;
        if (demand_.conflicts.touch(member_class)) {
            most = std::min(most, demand_.conflicts.limit(member_class, parts_.node(part)));
        }
        if (demand_.inside.exist()) {
            most = std::min(most, most_inside(part, member_class));
        }
        for (std::size_t r = 0; r < resources_.size() && most > 0; ++r) {
            if (const std::int64_t need = snapshot_.need[pod_class][resources_[r]]; need > 0) {
                const std::int64_t room = room_left(part, r);
                most = room < need ? 0 : std::min(most, room / need);
            }
        }
        return most;
    }
    for (std::size_t bound = 0; bound < bounds_.count() && most > 0; ++bound) {
        if (const std::int64_t weight = bounds_.weight_of(bound, member_class); weight > 0) {
            const std::int64_t remaining =
                bounds_.capacity(bound, parts_.tree(), parts_[part].first, parts_[part].last) - used_of(part, bound);
            most = remaining < weight ? 0 : std::min(most, remaining / weight);
        }
    }
    return most;
}

std::int64_t Distribution::members_of(PartId part, std::uint32_t group) {
    std::int64_t members = 0;
    for (std::uint32_t l = 0; l < batches_.size(); ++l) {
        members += objective_.is_below(batches_[l].group, group) ? share(part, l) : 0;
    }
    return members;
}

bool Distribution::Multiple::is_whole(std::uint32_t domain, std::int64_t seats) const {
    const auto part = partial.find(domain);
    return seats % number == 0 || (part != partial.end() && (part->second + seats) % number == 0);
}

std::int64_t Distribution::Multiple::most_whole(std::uint32_t domain, std::int64_t room) const {
    const std::int64_t most = room / number * number;
    const auto part = partial.find(domain);
    return part == partial.end() ? most : std::max(most, (part->second + room) / number * number - part->second);
}

// Limits `most` to whole multiples, counted in slots of the smallest member.
std::int64_t Distribution::most_by_multiples(PartId part, std::uint32_t batch, std::int64_t most) {
    for (const std::size_t m : multiples_of_[batch]) {
        const Multiple& multiple = multiples_[m];
        if (parts_[part].depth > multiple.level.depth) {
            continue;
        }
        if (parts_[part].depth == multiple.level.depth && parts_[part].domain == model::nowhere) {
            return 0;
        }
        // For parts wider than the level nothing is known if some domain holds a partial multiple.
        const bool is_around = parts_[part].depth < multiple.level.depth;
        if (multiple.smallest != model::nowhere && (!is_around || multiple.partial.empty())) {
            const std::int64_t here = members_of(part, multiple.group);
            const std::int64_t room = here + most_by_room(part, multiple.smallest);
            const std::uint32_t domain = is_around ? model::nowhere : parts_[part].domain;
            most = std::min(most, multiple.most_whole(domain, room) - here);
        }
    }
    return most;
}

std::int64_t Distribution::most_by_rules(PartId part, std::uint32_t batch, std::int64_t most) {
    if (!rules_.exist() || most <= 0) {
        return most;
    }
    std::vector<std::int64_t> remaining;
    for (std::size_t r = 0; r < resources_.size() && is_node(part); ++r) {
        remaining.push_back(room_left(part, r));
    }
    for (std::size_t bound = 0; bound < bounds_.count() && !is_node(part); ++bound) {
        remaining.push_back(bounds_.capacity(bound, parts_.tree(), parts_[part].first, parts_[part].last) -
                            used_of(part, bound));
    }
    budget_.charge(remaining.size() * 4);
    return rules_.most(part, batch, most, remaining);
}

// True if the rules hold in the children of a part. Requires: the batches before this one are divided.
bool Distribution::rules_hold(PartId around, std::size_t batch) {
    if (!rules_.exist()) {
        return true;
    }
    const std::uint32_t depth = around == whole ? 0 : parts_[around].depth + 1;
    budget_.charge(parts_with_share_[depth].size() * 4);
    return std::ranges::all_of(parts_with_share_[depth], [&](PartId part) {
        const bool is_inside = parts_[part].first >= parts_[around].first && parts_[part].last <= parts_[around].last;
        return !is_inside || rules_.hold(part, batch);
    });
}

// False if this is the last batch of a group in the part, and would leave a partial multiple.
bool Distribution::completes(const BatchSplit& split, std::size_t choice, std::int64_t count) {
    const PartId part = split.choices[choice].part;
    const PartId around = parents_[split.level][split.parent];
    return std::ranges::all_of(multiples_of_[split.batch], [&](std::size_t m) {
        const Multiple& multiple = multiples_[m];
        if (split.level > multiple.level.depth || (split.level < multiple.level.depth && !multiple.partial.empty())) {
            return true;
        }
        for (std::uint32_t l = split.batch + 1; l < batches_.size(); ++l) {
            if (share(around, l) > 0 && objective_.is_below(batches_[l].group, multiple.group)) {
                return true;  // Not the last.
            }
        }
        const std::uint32_t domain = split.level < multiple.level.depth ? model::nowhere : parts_[part].domain;
        return multiple.is_whole(domain, members_of(part, multiple.group) + count);
    });
}

// True if all multiples hold in the children of a part that has been divided.
bool Distribution::multiples_hold(PartId around) {
    for (const Multiple& multiple : multiples_) {
        budget_.charge(4 +
                       (multiple.level.tree == parts_.tree() ? parts_with_share_.back().size() * batches_.size() : 0));
    }
    const std::uint32_t depth = around == whole ? 0 : parts_[around].depth + 1;
    return std::ranges::all_of(multiples_, [&](const Multiple& multiple) {
        const bool is_around = depth < multiple.level.depth;
        if (multiple.level.tree != parts_.tree() || depth > multiple.level.depth ||
            (is_around && !multiple.partial.empty())) {
            return true;
        }
        return std::ranges::all_of(parts_with_share_[depth], [&](PartId part) {
            const bool is_inside =
                parts_[part].first >= parts_[around].first && parts_[part].last <= parts_[around].last;
            const std::uint32_t domain = is_around ? model::nowhere : parts_[part].domain;
            return !is_inside || multiple.is_whole(domain, members_of(part, multiple.group));
        });
    });
}

// The same for levels of other trees. Requires: every pod has its node.
bool Distribution::multiples_elsewhere_hold(std::span<const Placement> placements) const {
    return std::ranges::all_of(multiples_, [&](const Multiple& multiple) {
        if (multiple.level.tree == parts_.tree()) {
            return true;
        }
        std::map<std::uint32_t, std::int64_t> members;
        for (const Placement& placement : placements) {
            if (objective_.is_below(batches_[placement.batch].group, multiple.group)) {
                const auto& domain_of = snapshot_.trees[multiple.level.tree].domain_of[multiple.level.depth];
                members[domain_of[placement.node]] += placement.count;
            }
        }
        return std::ranges::all_of(members, [&](const auto& entry) {
            return entry.first != model::nowhere && multiple.is_whole(entry.first, entry.second);
        });
    });
}

void Distribution::account(PartId part, std::uint32_t batch, std::int64_t count) {
    share(part, batch) += count;
    if (rules_.exist()) {
        rules_.account(part, batch, count);
    }
    const bool is_host = is_node(part);
    for (std::size_t r = 0; r < resources_.size() && is_host; ++r) {
        room_left(part, r) -= count * snapshot_.need[demand_.classes[batches_[batch].member_class]][resources_[r]];
    }
    if (is_host && demand_.conflicts.touch(batches_[batch].member_class)) {
        placed_.add(batches_[batch].member_class, parts_.node(part), count);
    }
    for (std::size_t bound = 0; bound < bounds_.count() && !is_host; ++bound) {
        used_of(part, bound) += count * bounds_.weight_of(bound, batches_[batch].member_class);
    }
    if (part == whole) {
        return;
    }
    const std::uint32_t depth = parts_[part].depth;
    if (members(part) == 0) {
        parts_with_share_[depth].push_back(part);
    }
    members(part) += count;
    taken(part) += count * scarce_need(batch);
    if (members(part) == 0) {
        parts_with_share_[depth].pop_back();  // Shares are taken back in reverse order.
    }
    account_required_levels(part, batch, count);
    account_preferences(part, batch, count);
}

void Distribution::account_required_levels(PartId part, std::uint32_t batch, std::int64_t count) {
    const std::uint32_t depth = parts_[part].depth;
    for (const std::size_t l : required_levels_of_[batch]) {
        RequiredLevel& required = required_levels_[l];
        if (required.level.tree == parts_.tree() && depth <= required.level.depth) {
            required.where[depth] = part;
            required.members[depth] += count;
        } else if (required.level.tree != parts_.tree() && is_node(part)) {
            required.where[0] = snapshot_.trees[required.level.tree].domain_of[required.level.depth][parts_.node(part)];
            required.members[0] += count;
        }
    }
}

void Distribution::account_preferences(PartId part, std::uint32_t batch, std::int64_t count) {
    const std::uint32_t depth = parts_[part].depth;
    const std::int64_t cost = parts_[part].domain == model::nowhere ? 2 : 1;
    for (const std::size_t p : preferences_of_[batch]) {
        if (depth > preferred_along_tree_[p].level.depth) {
            continue;
        }
        const bool was_used = members_in(part, p) > 0;
        members_in(part, p) += count;
        const bool is_used = members_in(part, p) > 0;
        const std::int64_t change = (is_used ? 1 : 0) - (was_used ? 1 : 0);
        parts_used_[p][depth] += change;
        cost_[p][depth] += change * cost;
    }
}

bool Distribution::are_alike(const BatchSplit& split, std::size_t choice) {
    if (choice == 0 || demand_.conflicts.exist() || preferred_along_tree_.size() != objective_.preferences().size()) {
        return false;
    }
    const Choice& one = split.choices[choice - 1];
    const Choice& other = split.choices[choice];
    const auto is_touched = [&](PartId part) {
        return members(part) - share(part, split.batch) > 0 ||
               std::ranges::any_of(bound_parts_, [&](const auto& around) { return around[split.level] == part; });
    };
    if (one.most != other.most || one.free != other.free || one.content_hash != other.content_hash ||
        is_touched(one.part) || is_touched(other.part) || share(other.part, split.batch) > 0) {
        return false;
    }
    return content_hash(one.part) == content_hash(other.part);
}

std::uint64_t Distribution::content_hash_of(model::NodeId node) const {
    std::uint64_t number = mix(snapshot_.usable[node] ^ demand_.inside.hash(node));
    for (const model::PodClassId pod_class : demand_.classes) {
        number = mix(number ^ snapshot_.eligible[pod_class][node]);
    }
    for (const std::size_t r : resources_) {
        number = mix(number ^ static_cast<std::uint64_t>(room_[r][node]));
    }
    for (const auto& domain_of : snapshot_.trees[parts_.tree()].domain_of) {
        number = mix(number ^ (domain_of[node] == model::nowhere ? 0 : 1));
    }
    for (const model::LevelRef level : levels_elsewhere_) {
        number = mix(number ^ snapshot_.trees[level.tree].domain_of[level.depth][node]);
    }
    return number;
}

// Equal for parts whose children are equal, in any order.
std::uint64_t Distribution::content_hash(PartId part) {
    if (const auto known = content_hashes_.find(part); known != content_hashes_.end()) {
        return known->second;
    }
    const Part here = parts_[part];
    (void)spend((here.last - here.first) / 16);
    budget_.charge((here.last - here.first) * 4 *
                   (1 + demand_.classes.size() + resources_.size() + parts_.levels() + levels_elsewhere_.size()));
    const model::Tree& tree = snapshot_.trees[parts_.tree()];
    std::vector<std::uint64_t> numbers;
    for (std::uint32_t i = here.first; i < here.last; ++i) {
        numbers.push_back(content_hash_of(tree.order[i]));
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
            numbers[first] = mix(sum + depth);  // The number of a part is kept at its first node.
            first = i;
        }
    }
    const std::uint64_t number =
        mix(std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{here.last - here.first}));
    content_hashes_.emplace(part, number);
    return number;
}

}  // namespace echelon::solver

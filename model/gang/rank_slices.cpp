#include "model/gang/rank_slices.hpp"

#include "model/gang/sub_group_selection.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace echelon::model {

namespace {

struct SliceLevel {
    std::string level;
    std::int64_t size = 0;
};

// Widest first, without slices of one pod.
std::vector<SliceLevel> levels_of(const Group& group) {
    std::vector<SliceLevel> levels;
    for (const auto& [level, size] : group.multiples) {
        if (size > 1)
            levels.push_back({level, size});
    }
    std::ranges::stable_sort(levels, std::ranges::greater{}, &SliceLevel::size);
    return levels;
}

std::int64_t rank_of(const PodFacts& row) {
    return row.pod->membership->rank;
}

// True if every pod that may count has a unique rank.
bool are_ranked(const std::vector<PodFacts>& pods) {
    std::set<std::int64_t> ranks;
    return std::ranges::all_of(pods, [&](const PodFacts& row) {
        return row.status == MemberStatus::lost || (rank_of(row) >= 0 && ranks.insert(rank_of(row)).second);
    });
}

// How many ranks the group may ever have; 0: it can't be cut.
std::int64_t length_of(const GroupFacts& leaf, const std::vector<SliceLevel>& levels) {
    const auto* declared = leaf.group();
    if (levels.empty() || declared->start_set || declared->policy.counts_only_waiting || !declared->minimum ||
        !are_ranked(leaf.pods))
        return 0;
    auto length = std::max(*declared->minimum, declared->expected.value_or(0));
    for (const auto& row : leaf.pods) {
        if (row.status != MemberStatus::lost)
            length = std::max(length, rank_of(row) + 1);
    }
    const auto coarsest = levels.front().size;
    const bool divides = length % coarsest == 0 && *declared->minimum % coarsest == 0 && leaf.gone() == 0;
    for (std::size_t inner = 1; inner < levels.size(); ++inner) {
        if (levels[inner - 1].size % levels[inner].size != 0)
            return 0;
    }
    return divides ? length : 0;
}

class Cutter {
public:
    Cutter(GangFacts& out, const std::vector<SliceLevel>& levels) : out_(out), levels_(levels) {}

    // Adds the slices of `depth` from rank `first` on to the group at `parent`, whose `pods` are sorted by rank.
    void cut(std::uint32_t parent, std::size_t depth, std::int64_t first, std::int64_t length,
             const std::vector<PodFacts>& pods) {
        const auto size = levels_[depth].size;
        const bool is_leaf = depth + 1 == levels_.size();
        std::vector<std::vector<PodFacts>> parts(static_cast<std::size_t>(length / size));
        for (const auto& row : pods) {
            const auto part = (rank_of(row) - first) / size;
            if (part >= 0 && std::cmp_less(part, parts.size()))
                parts[static_cast<std::size_t>(part)].push_back(row);
        }
        for (std::size_t part = 0; part < parts.size(); ++part) {
            const auto index = add(parent, part, depth, is_leaf);
            if (is_leaf) {
                out_.groups[index].pods = std::move(parts[part]);
            } else {
                cut(index, depth + 1, first + static_cast<std::int64_t>(part) * size, size, parts[part]);
            }
        }
    }

private:
    std::uint32_t add(std::uint32_t parent, std::size_t part, std::size_t depth, bool is_leaf) {
        const auto index = static_cast<std::uint32_t>(out_.groups.size());
        const auto& above = out_.groups[parent];
        auto group = std::make_shared<Group>();
        group->key = {"slice", above.branch.key.name + "/" + std::to_string(part)};
        group->kind = is_leaf ? GroupKind::leaf : GroupKind::composite;
        group->parent = above.branch.key;
        group->topology = above.group()->topology;
        group->topology_group = above.group()->topology_group;
        group->required = {levels_[depth].level};
        const auto size = levels_[depth].size;
        group->minimum = is_leaf ? size : size / levels_[depth + 1].size;
        if (is_leaf)
            group->expected = size;
        GroupFacts facts;
        facts.branch = {group->key, group.get(), parent, above.branch.depth, Branch::End::none};
        facts.is_loose = above.is_loose;
        out_.made.push_back(std::move(group));
        out_.groups.push_back(std::move(facts));
        out_.groups[parent].children.push_back(index);
        return index;
    }

    GangFacts& out_;
    const std::vector<SliceLevel>& levels_;
};

std::int64_t count_of(std::int64_t length, const std::vector<SliceLevel>& levels) {
    std::int64_t groups = 0;
    for (const auto& level : levels)
        groups += length / level.size;
    return groups;
}

// Turns the leaf at `index` into a composite of slices.
void cut_leaf(GangFacts& out, std::uint32_t index, const std::vector<SliceLevel>& levels, std::int64_t length) {
    const auto pods = std::exchange(out.groups[index].pods, {});
    auto around = std::make_shared<Group>(*out.groups[index].group());
    around->kind = GroupKind::composite;
    around->minimum = *around->minimum / levels.front().size;
    around->expected.reset();
    std::erase_if(around->multiples, [](const auto& entry) { return entry.second > 1; });
    out.groups[index].branch.group = around.get();
    out.made.push_back(std::move(around));
    Cutter(out, levels).cut(index, 0, 0, length, pods);
}

// The pods of each child; 0: a child is no leaf, has no pods, or has more than another one.
std::int64_t pods_per_child(const GangFacts& facts, const GroupFacts& group) {
    std::int64_t pods = 0;
    for (const auto child : group.children) {
        const auto* declared = facts.groups[child].group();
        const auto here = declared == nullptr || !facts.groups[child].is_leaf() ? 0 : declared->minimum.value_or(0);
        if (here == 0 || (pods != 0 && here != pods))
            return 0;
        pods = here;
    }
    return pods;
}

// Gives the group a declaration that no other tree has.
Group& own_declaration(GangFacts& facts, std::uint32_t index) {
    auto own = std::make_shared<Group>(*facts.groups[index].group());
    auto& group = *own;
    facts.groups[index].branch.group = own.get();
    facts.made.push_back(std::move(own));
    return group;
}

void cut_children(GangFacts& facts, std::uint32_t index, const SliceLevel& slice, bool is_whole_child) {
    for (const auto child : facts.groups[index].children) {
        auto& group = own_declaration(facts, child);
        if (!is_whole_child) {
            group.multiples[slice.level] = slice.size;
            if (!is_cut_by_rank(group))
                group.sorts.push_back(selector_by_rank());
        } else if (std::ranges::find(group.required, slice.level) == group.required.end()) {
            group.required.push_back(slice.level);
        }
    }
}

// Moves slices that are a child or a part of one. Returns how many children each remaining slice has; 0: none remains,
// or it isn't made of whole children.
std::int64_t cut_into_children(GangFacts& facts, std::uint32_t index) {
    const auto pods = pods_per_child(facts, facts.groups[index]);
    if (pods == 0)
        return 0;
    const auto number = std::ssize(facts.groups[index].children);
    auto& group = own_declaration(facts, index);
    for (const auto& [level, size] : std::map(group.multiples)) {
        if (pods * number % size != 0 && group.problem.empty()) {
            group.problem = "slices of " + std::to_string(size) + " pods don't divide the " +
                            std::to_string(pods * number) + " pods";
        }
        if (pods % size != 0)
            continue;
        group.multiples.erase(level);
        cut_children(facts, index, {level, size}, size == pods);
    }
    // If a child has succeeded, it is unknown which one.
    if (group.multiples.size() != 1 || group.minimum.value_or(number) != number)
        return 0;
    const auto size = group.multiples.begin()->second;
    return size % pods == 0 && number % (size / pods) == 0 ? size / pods : 0;
}

// Adds a slice of the children `first` to `first + number - 1` of the group at `parent`.
GroupFacts slice_of_children(const GroupFacts& parent, std::uint32_t index, std::uint32_t first, std::uint32_t number,
                             const std::string& level, GangFacts& facts) {
    auto group = std::make_shared<Group>();
    group->key = {"slice",
                  parent.branch.key.name + "/" + std::to_string(first) + "-" + std::to_string(first + number - 1)};
    group->kind = GroupKind::composite;
    group->parent = parent.branch.key;
    group->topology = parent.group()->topology;
    group->topology_group = parent.group()->topology_group;
    group->required = {level};
    GroupFacts slice;
    slice.branch = {group->key, group.get(), index, parent.branch.depth + 1, Branch::End::none};
    slice.is_loose = parent.is_loose;
    facts.made.push_back(std::move(group));
    return slice;
}

// Puts a composite around each `number` children of the group, which are leaves and hence follow it directly.
void join_children(GangFacts& facts, std::uint32_t index, std::uint32_t number) {
    auto& around = own_declaration(facts, index);
    const std::string level = around.multiples.begin()->first;
    around.multiples.clear();
    const auto count = static_cast<std::uint32_t>(std::exchange(facts.groups[index].children, {}).size());
    around.minimum = count / number;
    const auto moved = [&](std::uint32_t old) {
        return old <= index ? old : old + std::min(old - index - 1, count - 1) / number + 1;
    };
    std::vector<GroupFacts> groups;
    groups.reserve(facts.groups.size() + count / number);
    for (std::uint32_t old = 0; old < facts.groups.size(); ++old) {
        auto& group = facts.groups[old];
        const bool is_child = old > index && old - index <= count;
        if (is_child && (old - index - 1) % number == 0) {
            const auto slice = static_cast<std::uint32_t>(groups.size());
            groups.push_back(slice_of_children(groups[index], index, old - index - 1, number, level, facts));
            groups[index].children.push_back(slice);
        }
        for (auto& child : group.children)
            child = moved(child);
        group.branch.parent = is_child ? groups[index].children.back() : moved(group.branch.parent);
        if (is_child) {
            ++group.branch.depth;
            groups[group.branch.parent].children.push_back(moved(old));
        }
        groups.push_back(std::move(group));
    }
    facts.groups = std::move(groups);
}

}  // namespace

void move_slices_to_children(GangFacts& facts, const Limits& limits) {
    for (std::uint32_t index = 0; index < facts.groups.size(); ++index) {
        const auto& group = facts.groups[index];
        if (group.group() == nullptr || group.is_leaf() || !is_cut_across_children(*group.group()))
            continue;
        const auto number = cut_into_children(facts, index);
        const auto slices = number == 0 ? 0 : std::ssize(facts.groups[index].children) / number;
        if (slices > 0 && std::ssize(facts.groups) + slices <= limits.groups)
            join_children(facts, index, static_cast<std::uint32_t>(number));
    }
}

GangFacts cut_into_slices(GangFacts facts, const Limits& limits) {
    const auto is_cut = [](const GroupFacts& group) {
        return group.group() != nullptr && group.is_leaf() && is_cut_by_rank(*group.group());
    };
    if (std::ranges::none_of(facts.groups, is_cut))
        return facts;
    GangFacts out;
    out.is_cycle = facts.is_cycle;
    out.classes = facts.classes;
    out.made = std::move(facts.made);
    std::vector<std::uint32_t> moved;  // [old index] new index.
    auto left = static_cast<std::int64_t>(facts.groups.size());
    for (auto& group : facts.groups) {
        const auto index = static_cast<std::uint32_t>(out.groups.size());
        --left;
        const bool may_be_cut = is_cut(group);
        const auto levels = may_be_cut ? levels_of(*group.group()) : std::vector<SliceLevel>();
        const auto length = may_be_cut ? length_of(group, levels) : 0;
        group.children.clear();
        if (!moved.empty()) {
            group.branch.parent = moved[group.branch.parent];
            out.groups[group.branch.parent].children.push_back(index);
        }
        moved.push_back(index);
        out.groups.push_back(std::move(group));
        if (length > 0 && index + 1 + count_of(length, levels) + left <= limits.groups)
            cut_leaf(out, index, levels, length);
    }
    return out;
}

}  // namespace echelon::model

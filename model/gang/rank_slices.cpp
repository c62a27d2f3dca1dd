#include "model/gang/rank_slices.hpp"

#include "model/gang/sub_group_selection.hpp"

#include <algorithm>
#include <iterator>
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
        return row.standing == Standing::lost || (rank_of(row) >= 0 && ranks.insert(rank_of(row)).second);
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
        if (row.standing != Standing::lost)
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

}  // namespace

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

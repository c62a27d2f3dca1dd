#include "solver/distribution/multiples.hpp"

namespace echelon::solver {

namespace {

bool is_below(const model::Gang& gang, std::uint32_t group, std::uint32_t above) {
    while (group > above && group != model::nowhere) {
        group = gang.groups[group].parent;
    }
    return group == above;
}

}  // namespace

std::map<std::uint32_t, std::int64_t> partial_multiples(const model::Snapshot& snapshot, const model::Gang& gang,
                                                        std::uint32_t group, model::LevelRef level,
                                                        std::int64_t number) {
    const auto& domain_of = snapshot.trees[level.tree].domain_of[level.depth];
    std::map<std::uint32_t, std::int64_t> bound;
    for (std::uint32_t g = group; g < gang.groups.size(); ++g) {
        const model::GangGroup& leaf = gang.groups[g];
        if (!leaf.is_leaf || !is_below(gang, g, group)) {
            continue;
        }
        for (std::uint32_t m = leaf.first_member; m < leaf.last_member; ++m) {
            const model::Member& member = gang.members[m];
            if (member.state == model::Member::State::bound && domain_of[member.node] != model::nowhere) {
                ++bound[domain_of[member.node]];
            }
        }
    }
    std::erase_if(bound, [number](const auto& entry) { return entry.second % number == 0; });
    return bound;
}

bool has_partial_multiples(const model::Snapshot& snapshot, const model::Gang& gang) {
    for (std::uint32_t g = 0; g < gang.groups.size(); ++g) {
        for (const auto& [level, number] : gang.groups[g].multiples) {
            if (!partial_multiples(snapshot, gang, g, level, number).empty()) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace echelon::solver

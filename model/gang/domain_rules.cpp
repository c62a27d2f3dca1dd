#include "model/gang/domain_rules.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace echelon::model {

namespace {

// The declared number, whether the replicas exist yet or not, so that a late pod changes no proportion.
std::int64_t replicas_of(const GroupFacts& facts, const GangGroup& child) {
    if (!child.is_leaf)
        return static_cast<std::int64_t>(child.children.size());
    const std::int64_t seen = std::int64_t{child.last_member} - child.first_member;
    const std::int64_t announced = facts.group() == nullptr ? 0 : facts.group()->expected.value_or(0);
    return std::max({seen, announced, child.minimum});
}

}  // namespace

void add_domain_rules(const GangFacts& facts, std::size_t group, const RequestedLevels& levels, Gang& gang) {
    const auto index = static_cast<std::uint32_t>(group);
    for (const auto& [level, most] : levels.most_per_domain) {
        gang.domain_limits.push_back({.group = index, .level = level, .most = most});
    }
    if (!levels.paired || gang.groups[group].is_leaf)
        return;
    Pairing pairing{.group = index, .level = *levels.paired, .replicas = {}};
    for (const std::uint32_t child : gang.groups[group].children) {
        pairing.replicas.push_back(replicas_of(facts.groups[child], gang.groups[child]));
    }
    gang.pairings.push_back(std::move(pairing));
}

void keep_replicas_together(Gang& gang) {
    for (const Pairing& pairing : gang.pairings) {
        for (const std::uint32_t child : gang.groups[pairing.group].children) {
            for (const std::uint32_t replica : gang.groups[child].children) {
                auto& required = gang.groups[replica].required;
                const auto implies = [&](LevelRef level) {
                    return level.tree == pairing.level.tree && level.depth >= pairing.level.depth;
                };
                if (std::ranges::none_of(required, implies))
                    required.push_back(pairing.level);
            }
        }
    }
}

}  // namespace echelon::model

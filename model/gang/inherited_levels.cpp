#include "model/gang/inherited_levels.hpp"

#include "model/facts/topology.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace echelon::model {

namespace {

// Every domain of `narrow` lies in one domain of `wide`.
bool lies_within(const Snapshot& snapshot, LevelRef narrow, LevelRef wide) {
    if (narrow.tree == wide.tree)
        return narrow.depth >= wide.depth;
    const auto& inner = snapshot.trees[narrow.tree];
    const auto& outer_of = snapshot.trees[wide.tree].domain_of[wide.depth];
    return std::ranges::all_of(inner.domains[narrow.depth], [&](const Domain& domain) {
        const auto around = outer_of[inner.order[domain.first]];
        const auto is_there = [&](NodeId node) { return outer_of[node] == around; };
        return around != nowhere &&
               std::all_of(inner.order.begin() + domain.first, inner.order.begin() + domain.last, is_there);
    });
}

// The widest of the levels that the children ask for (Z41); none when a child asks for none, or for the whole cluster.
std::optional<LevelRef> widest_of(const Snapshot& snapshot, const GangFacts& facts, const Gang& gang, std::size_t group,
                                  std::vector<LevelRef> GangGroup::* asked, std::vector<std::string> Group::* named) {
    std::optional<LevelRef> widest;
    for (const auto child : gang.groups[group].children) {
        const auto& levels = gang.groups[child].*asked;
        const auto* declared = facts.groups[child].group();
        const bool is_free =
            declared != nullptr && std::ranges::find(declared->*named, whole_cluster_level) != (declared->*named).end();
        if (levels.empty() || is_free)
            return std::nullopt;
        for (const auto level : levels) {
            if (!widest || lies_within(snapshot, *widest, level))
                widest = level;
        }
    }
    return widest;
}

}  // namespace

void inherit_widest_level(const Snapshot& snapshot, const GangFacts& facts, std::size_t group, Gang& gang) {
    auto& root = gang.groups[group];
    if (const auto level = widest_of(snapshot, facts, gang, group, &GangGroup::required, &Group::required))
        root.required.push_back(*level);
    if (const auto level = widest_of(snapshot, facts, gang, group, &GangGroup::preferred, &Group::preferred))
        root.preferred.push_back(*level);
}

}  // namespace echelon::model

#include "model/gang/common_level.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace echelon::model {

namespace {

const std::vector<std::uint32_t>& domains_of(const Snapshot& snapshot, LevelRef level) {
    return snapshot.trees[level.tree].domain_of[level.depth];
}

}  // namespace

// Parents come before their children.
std::uint32_t nearest_around(const Gang& gang, std::uint32_t one, std::uint32_t other) {
    while (one != other) {
        auto& lower = one > other ? one : other;
        lower = gang.groups[lower].parent;
    }
    return one;
}

bool requires_within(const Gang& gang, std::uint32_t group, LevelRef level) {
    const auto is_within = [level](LevelRef own) { return own.tree == level.tree && own.depth >= level.depth; };
    for (;; group = gang.groups[group].parent) {
        if (std::ranges::any_of(gang.groups[group].required, is_within))
            return true;
        if (group == 0)
            return false;
    }
}

bool is_bound_in_one_domain(const Gang& gang, const Snapshot& snapshot, std::uint32_t group, LevelRef level) {
    const auto& domain_of = domains_of(snapshot, level);
    std::optional<std::uint32_t> domain;
    for (std::uint32_t g = 0; g < gang.groups.size(); ++g) {
        const auto& leaf = gang.groups[g];
        if (!leaf.is_leaf || nearest_around(gang, group, g) != group)
            continue;
        for (auto m = leaf.first_member; m < leaf.last_member; ++m) {
            const auto& member = gang.members[m];
            if (member.state != Member::State::bound)
                continue;
            const auto here = member.node == nowhere ? nowhere : domain_of[member.node];
            if (here == nowhere || domain.value_or(here) != here)
                return false;
            domain = here;
        }
    }
    return true;
}

bool splits_values(const Snapshot& snapshot, LevelRef level, const TopologyKeyIndex& label) {
    const auto& domain_of = domains_of(snapshot, level);
    std::vector<std::uint32_t> domain_of_value(label.count, nowhere);
    for (NodeId node = 0; node < label.of.size(); ++node) {
        const auto value = label.of[node];
        if (value == nowhere)
            continue;
        auto& known = domain_of_value[value];
        if (domain_of[node] == nowhere || (known != nowhere && known != domain_of[node]))
            return true;
        known = domain_of[node];
    }
    return false;
}

}  // namespace echelon::model

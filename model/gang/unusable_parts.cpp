#include "model/gang/unusable_parts.hpp"

#include "base/quoted.hpp"
#include "model/facts/topology.hpp"

#include <algorithm>

namespace echelon::model {

namespace {

// True if the node has no domain at the level itself, or only a narrower one that takes its place.
bool has_no_own_place(const Tree& tree, LevelRef level, NodeId node) {
    const auto domain = tree.domain_of[level.depth][node];
    if (domain == nowhere)
        return true;
    if (level.depth + 1 >= tree.tiers.size())
        return false;
    const auto narrower = tree.domain_of[level.depth + 1][node];
    return narrower != nowhere && tree.path_of(level.depth, domain) == tree.path_of(level.depth + 1, narrower);
}

std::string fault_at(const Gang& gang, const Snapshot& snapshot, const GangGroup& group, const Member& member) {
    for (const auto level : group.required) {
        if (!has_no_own_place(snapshot.trees[level.tree], level, member.node))
            continue;
        for (const auto& part : snapshot.left_out) {
            if (affects_group(part, snapshot, level) && std::ranges::binary_search(part.nodes, member.node)) {
                return "group " + base::quoted(group.key.name) + ": its member " + base::quoted(member.pod) +
                       " sits on node " + base::quoted(snapshot.node_names[member.node]) +
                       ", which has no domain at level " + base::quoted(snapshot.trees[level.tree].keys[level.depth]) +
                       ": " + part.sentence;
            }
        }
    }
    return group.parent == nowhere ? std::string() : fault_at(gang, snapshot, gang.groups[group.parent], member);
}

}  // namespace

bool affects_group(const UnusablePart& part, const Snapshot& snapshot, LevelRef level) {
    const auto& tree = snapshot.trees[level.tree];
    if (level.depth < tree.tiers.size())
        return std::ranges::binary_search(part.tiers, tree.tiers[level.depth]);
    return std::ranges::binary_search(part.names, tree.keys[level.depth]);
}

const UnusablePart* unusable_parts_of(const Snapshot& snapshot, std::string_view level) {
    const auto tier = tier_in(level);
    const auto has = [&](const UnusablePart& part) {
        return tier ? std::ranges::binary_search(part.tiers, *tier)
                    : std::ranges::binary_search(part.names, level, {},
                                                 [](const std::string& name) { return std::string_view(name); });
    };
    const auto found = std::ranges::find_if(snapshot.left_out, has);
    return found == snapshot.left_out.end() ? nullptr : &*found;
}

std::string fault_around_bound(const Gang& gang, const Snapshot& snapshot) {
    if (snapshot.left_out.empty())
        return {};
    for (const auto& group : gang.groups) {
        for (auto index = group.first_member; group.is_leaf && index < group.last_member; ++index) {
            const auto& member = gang.members[index];
            if (member.state != Member::State::bound || member.node == nowhere)
                continue;
            if (auto fault = fault_at(gang, snapshot, group, member); !fault.empty())
                return fault;
        }
    }
    return {};
}

}  // namespace echelon::model

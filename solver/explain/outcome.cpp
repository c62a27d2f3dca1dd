#include "solver/explain/outcome.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace echelon::solver {
namespace {

using model::Gang;
using model::GangGroup;
using model::Member;
using model::NodeId;
using model::Snapshot;

constexpr std::int64_t all_met = 1000;

struct GroupStatus {
    std::int64_t counting = 0;      // Members of the subtree that count.
    std::int64_t placeholders = 0;  // Leaf: placeholders among `counting`; reports leave them out (Z14).
    std::int64_t satisfied = 0;     // Composite: satisfied children.
    bool is_satisfied = false;
    std::vector<NodeId> nodes;  // Of seats and bound members, unique.
};

// The domain of the nodes at one level; nowhere when they aren't all in one.
std::uint32_t shared_domain(const model::Tree& tree, std::uint32_t depth, const std::vector<NodeId>& nodes) {
    const auto& domain_of = tree.domain_of[depth];
    const std::uint32_t domain = nodes.empty() ? model::nowhere : domain_of[nodes.front()];
    const bool are_together = std::ranges::all_of(nodes, [&](NodeId node) { return domain_of[node] == domain; });
    return are_together ? domain : model::nowhere;
}

bool obeys_levels(const Snapshot& snapshot, const GangGroup& group, const std::vector<NodeId>& nodes) {
    return nodes.empty() || std::ranges::all_of(group.required, [&](model::LevelRef level) {
               return shared_domain(snapshot.trees[level.tree], level.depth, nodes) != model::nowhere;
           });
}

// False: the tree is one of hosts, or that of a key which no topology lists (D12, Z24).
bool is_declared(const model::Tree& tree) {
    return tree.domain_of.size() > 1 && !tree.name.empty() && tree.name != tree.keys.front();
}

// The first declared tree in which all nodes are in domains of the narrowest level above the host; else the first.
std::uint32_t tree_around(const Snapshot& snapshot, const std::vector<NodeId>& nodes) {
    const auto places_all = [&](const model::Tree& tree) {
        const std::size_t hosts = tree.domain_of.size() - 1;
        return is_declared(tree) && std::ranges::all_of(nodes, [&](NodeId node) {
                   return tree.domain_of[hosts - 1][node] != model::nowhere;
               });
    };
    const auto found = std::ranges::find_if(snapshot.trees, places_all);
    return found == snapshot.trees.end() ? 0 : static_cast<std::uint32_t>(found - snapshot.trees.begin());
}

// A domain that has all nodes, and how many nodes it has.
struct Around {
    std::uint32_t depth = model::nowhere;
    std::size_t size = SIZE_MAX;
};

// The narrowest one of a tree.
Around narrowest_around(const model::Tree& tree, const std::vector<NodeId>& nodes) {
    for (auto depth = static_cast<std::uint32_t>(tree.domains.size()); depth-- > 0;) {
        if (const auto shared = shared_domain(tree, depth, nodes); shared != model::nowhere) {
            const model::Domain& domain = tree.domains[depth][shared];
            return {.depth = depth, .size = domain.last - domain.first};
        }
    }
    return {};
}

std::string path_of(const Snapshot& snapshot, const std::vector<NodeId>& nodes) {
    if (snapshot.trees.empty()) {
        return {};
    }
    std::uint32_t best = tree_around(snapshot, nodes);
    auto narrowest = narrowest_around(snapshot.trees[best], nodes);
    for (std::uint32_t tree = 0; tree < snapshot.trees.size() && narrowest.size > 1; ++tree) {
        const auto here = is_declared(snapshot.trees[tree]) ? narrowest_around(snapshot.trees[tree], nodes) : Around{};
        if (here.size < narrowest.size) {
            best = tree;
            narrowest = here;
        }
    }
    return narrowest.depth == model::nowhere ? std::string() : snapshot.path(best, narrowest.depth, nodes.front());
}

void count_members(const Gang& gang, const GangGroup& leaf, const std::vector<NodeId>& seat_of, GroupStatus& status) {
    for (std::uint32_t m = leaf.first_member; m < leaf.last_member; ++m) {
        const Member& member = gang.members[m];
        const NodeId node = member.state == Member::State::bound ? member.node : seat_of[m];
        if (node != model::nowhere) {
            status.nodes.push_back(node);
        }
        status.placeholders += member.is_placeholder && node != model::nowhere ? 1 : 0;
        status.counting += node != model::nowhere || member.state == Member::State::finished ? 1 : 0;
    }
}

// At least 1 for a basic group. Includes members that ran before.
std::int64_t minimum_of(const GangGroup& group) {
    return group.basic ? std::max<std::int64_t>(group.minimum, 1) : group.minimum;
}

// [group]
std::vector<GroupStatus> statuses_of(const Snapshot& snapshot, const Gang& gang, const Plan& plan) {
    std::vector<NodeId> seat_of(gang.members.size(), model::nowhere);
    for (const Seat& seat : plan.seats) {
        seat_of[seat.member] = seat.node;
    }
    std::vector<GroupStatus> statuses(gang.groups.size());
    for (std::size_t g = gang.groups.size(); g-- > 0;) {  // Pre-order, hence children before parents.
        const GangGroup& group = gang.groups[g];
        GroupStatus& status = statuses[g];
        if (group.is_leaf) {
            count_members(gang, group, seat_of, status);
        }
        for (const std::uint32_t child : group.children) {
            const GroupStatus& below = statuses[child];
            status.counting += below.counting;
            status.satisfied += below.is_satisfied ? 1 : 0;
            status.nodes.insert(status.nodes.end(), below.nodes.begin(), below.nodes.end());
        }
        std::ranges::sort(status.nodes);
        status.nodes.erase(std::ranges::unique(status.nodes).begin(), status.nodes.end());
        const std::int64_t placed = group.is_leaf ? status.counting : status.satisfied;
        status.is_satisfied = placed >= minimum_of(group) && status.counting >= group.floor &&
                              obeys_levels(snapshot, group, status.nodes);
    }
    return statuses;
}

// A node that lacks the level's label counts as a separate domain.
std::int64_t domains_of(const model::Tree& tree, std::uint32_t depth, const std::vector<NodeId>& nodes) {
    std::vector<std::uint32_t> domains;
    std::int64_t outside = 0;
    for (const NodeId node : nodes) {
        const std::uint32_t domain = tree.domain_of[depth][node];
        if (domain == model::nowhere) {
            ++outside;
        } else {
            domains.push_back(domain);
        }
    }
    std::ranges::sort(domains);
    return outside + std::distance(domains.begin(), std::ranges::unique(domains).begin());
}

}  // namespace

std::vector<model::RecordedGroup> outcome(const Snapshot& snapshot, const Gang& gang, const Plan& plan) {
    const std::vector<GroupStatus> statuses = statuses_of(snapshot, gang, plan);
    std::vector<model::RecordedGroup> rows;
    rows.reserve(gang.groups.size());
    for (std::size_t g = 0; g < gang.groups.size(); ++g) {
        const GangGroup& group = gang.groups[g];
        const GroupStatus& status = statuses[g];
        const std::int64_t left_out = group.earlier_members + group.uncounted_children;
        const std::int64_t placed = group.is_leaf ? status.counting - status.placeholders : status.satisfied;
        rows.push_back({.group = group.key.name,
                        .placed = placed - left_out,
                        .minimum = std::max(minimum_of(group), group.later) - left_out,
                        .domain = path_of(snapshot, status.nodes)});
    }
    return rows;
}

std::int64_t score(const Snapshot& snapshot, const Gang& gang, const Plan& plan) {
    if (std::ranges::all_of(gang.groups, [](const GangGroup& group) { return group.preferred.empty(); }))
        return all_met;
    const std::vector<GroupStatus> statuses = statuses_of(snapshot, gang, plan);
    std::int64_t sum = 0;
    std::int64_t counted = 0;
    for (std::size_t g = 0; g < gang.groups.size(); ++g) {
        for (const model::LevelRef level : gang.groups[g].preferred) {
            const std::int64_t used = domains_of(snapshot.trees[level.tree], level.depth, statuses[g].nodes);
            if (used == 0)
                continue;
            sum += all_met / used;
            ++counted;
        }
    }
    return counted == 0 ? all_met : sum / counted;
}

}  // namespace echelon::solver

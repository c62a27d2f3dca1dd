#include "solver/preemption/zones.hpp"

#include "model/facts/usage.hpp"
#include "solver/preemption/demand.hpp"
#include "solver/preemption/yields.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace echelon::solver::preemption {
namespace {

using model::Gang;
using model::GangGroup;
using model::LevelRef;
using model::Member;
using model::NodeId;
using model::saturating_sum;
using model::Snapshot;

std::set<model::PodClassId> waiting_pod_classes(const Gang& gang) {
    std::set<model::PodClassId> pod_classes;
    for (const Member& member : gang.members) {
        if (member.state == Member::State::waiting) {
            pod_classes.insert(member.pod_class);
        }
    }
    return pod_classes;
}

// The nodes that some waiting member may use, and the resources that it needs.
struct Use {
    std::vector<std::uint8_t> nodes;
    std::vector<std::uint8_t> resources;
};

Use use_of(const Snapshot& snapshot, const std::set<model::PodClassId>& pod_classes) {
    Use use{.nodes = std::vector<std::uint8_t>(snapshot.node_count(), 0),
            .resources = std::vector<std::uint8_t>(snapshot.resources.size(), 0)};
    for (const model::PodClassId pod_class : pod_classes) {
        for (NodeId node = 0; node < snapshot.node_count(); ++node) {
            if (snapshot.usable[node] != 0 && snapshot.eligible[pod_class][node] != 0) {
                use.nodes[node] = 1;
            }
        }
        for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
            if (snapshot.need[pod_class][r] > 0) {
                use.resources[r] = 1;
            }
        }
    }
    return use;
}

std::optional<LevelRef> narrowest(const GangGroup& group) {
    if (group.required.empty()) {
        return std::nullopt;
    }
    const LevelRef first = group.required.front();
    const auto is_same_tree = [&](LevelRef level) { return level.tree == first.tree; };
    LevelRef level = first;
    for (const LevelRef other : group.required) {
        if (is_same_tree(other) && other.depth > level.depth) {
            level = other;
        }
    }
    return level;
}

// Some pod of the unit keeps members of the gang away from a node.
bool bars_nodes(const Candidates& candidates, UnitNumber unit) {
    return std::ranges::any_of(candidates.unit(unit).pods,
                               [&](PodNumber pod) { return !candidates.facts(pod).keeps_away.empty(); });
}

// Counts, for each zone, what evictions gain there and what they cost at least.
class ZoneLister {
public:
    ZoneLister(const Snapshot& snapshot, const Gang& gang, const Candidates& candidates,
               const std::vector<UnitNumber>& units)
        : snapshot_(snapshot),
          gang_(gang),
          candidates_(candidates),
          may_go_(candidates.units().size(), 0),
          demand_(least_demand(snapshot, gang)),
          pod_classes_(waiting_pod_classes(gang)),
          use_(use_of(snapshot, pod_classes_)) {
        for (const UnitNumber u : units) {
            may_go_[u] = 1;
        }
        if (pod_classes_.empty()) {
            return;
        }
        const model::PodClassId hardest = hardest_pod_class();
        for (NodeId node = 0; node < snapshot.node_count(); ++node) {
            yields_.push_back(yield_of(snapshot, candidates, hardest, node, may_go_));
        }
        rank_domains();
    }

    std::vector<Zone> zones() const {
        std::vector<Zone> zones;
        if (pod_classes_.empty()) {
            return zones;
        }
        const auto add = [&](const std::vector<NodeId>& nodes) {
            if (auto zone = zone_of(nodes)) {
                zones.push_back(std::move(*zone));
            }
        };
        const auto [group, level] = outermost();
        if (!level) {
            std::vector<NodeId> all(snapshot_.node_count());
            for (NodeId node = 0; node < all.size(); ++node) {
                all[node] = node;
            }
            add(all);
            return zones;
        }
        const model::Tree& tree = snapshot_.trees[level->tree];
        for (const model::Domain& domain : tree.domains[level->depth]) {
            if (may_hold(domain, tree)) {
                add({tree.order.begin() + domain.first, tree.order.begin() + domain.last});
            }
        }
        std::ranges::stable_sort(zones, {}, [](const Zone& zone) {
            return std::tuple(zone.least_roots, zone.least_pods, zone.units.size());
        });
        return zones;
    }

private:
    // The class of which an empty cluster has the fewest slots.
    [[nodiscard]] model::PodClassId hardest_pod_class() const {
        std::optional<std::pair<std::int64_t, model::PodClassId>> hardest;
        for (const model::PodClassId pod_class : pod_classes_) {
            std::int64_t slots = 0;
            for (NodeId node = 0; node < snapshot_.node_count(); ++node) {
                const bool is_open = snapshot_.usable[node] != 0 && snapshot_.eligible[pod_class][node] != 0;
                std::int64_t here = is_open ? std::int64_t{1} << 16U : 0;
                for (std::size_t r = 0; r < snapshot_.resources.size() && here > 0; ++r) {
                    const std::int64_t need = snapshot_.need[pod_class][r];
                    here = need > 0 ? std::min(here, snapshot_.capacity[r][node] / need) : here;
                }
                slots += here;
            }
            if (!hardest || slots < hardest->first) {
                hardest = {slots, pod_class};
            }
        }
        return hardest->second;
    }

    // The level that holds the whole gang, and the group that requires it: the root, or an only child.
    [[nodiscard]] std::pair<std::uint32_t, std::optional<LevelRef>> outermost() const {
        std::uint32_t group = 0;
        while (gang_.groups[group].required.empty() && gang_.groups[group].children.size() == 1) {
            group = gang_.groups[group].children.front();
        }
        return {group, narrowest(gang_.groups[group])};
    }

    // False if bound members pin another domain (D7).
    [[nodiscard]] bool may_hold(const model::Domain& domain, const model::Tree& tree) const {
        const std::span inside(tree.order.begin() + domain.first, tree.order.begin() + domain.last);
        return std::ranges::all_of(gang_.members, [&](const Member& member) {
            return member.state != Member::State::bound || member.node == model::nowhere ||
                   std::ranges::find(inside, member.node) != inside.end();
        });
    }

    // Ranks the domains of the narrowest required level by how few evictions they need.
    void rank_domains() {
        rank_of_.assign(snapshot_.node_count(), 0);
        std::optional<LevelRef> finest;
        std::int64_t pods = 0;
        for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
            const auto level = narrowest(gang_.groups[g]);
            if (level && (!finest || level->depth > finest->depth) && demand_[g].pods > 0) {
                finest = level;
                pods = demand_[g].pods;
            }
        }
        if (!finest) {
            return;
        }
        const model::Tree& tree = snapshot_.trees[finest->tree];
        const auto& domains = tree.domains[finest->depth];
        std::vector<std::pair<std::int64_t, std::uint32_t>> costs;
        for (std::uint32_t d = 0; d < domains.size(); ++d) {
            std::vector<Yield> yields;
            for (std::uint32_t at = domains[d].first; at < domains[d].last; ++at) {
                yields.push_back(yields_[tree.order[at]]);
            }
            std::ranges::stable_sort(yields, [](const Yield& a, const Yield& b) { return a.is_cheaper_than(b); });
            costs.emplace_back(least_pods_for(pods, yields).value_or(std::int64_t{1} << 32U), d);
        }
        std::ranges::sort(costs);
        for (std::uint32_t rank = 0; rank < costs.size(); ++rank) {
            const model::Domain& domain = domains[costs[rank].second];
            for (std::uint32_t at = domain.first; at < domain.last; ++at) {
                rank_of_[tree.order[at]] = rank;
            }
        }
    }

    // Nullopt: counting excludes the nodes.
    [[nodiscard]] std::optional<Zone> zone_of(const std::vector<NodeId>& nodes) const {
        Zone zone;
        for (std::size_t r = 0; r < snapshot_.resources.size(); ++r) {
            const std::int64_t needed = demand_.front().amounts[r];
            if (needed > 0 && !bound_by(r, needed, nodes, zone)) {
                return std::nullopt;
            }
        }
        std::vector<NodeId> order = nodes;
        std::ranges::stable_sort(order, [this](NodeId a, NodeId b) {
            return rank_of_[a] != rank_of_[b] ? rank_of_[a] < rank_of_[b] : yields_[a].is_cheaper_than(yields_[b]);
        });
        if (pod_classes_.size() == 1) {
            std::vector<Yield> yields;
            for (const NodeId node : nodes) {
                yields.push_back(yields_[node]);
            }
            std::ranges::stable_sort(yields, [](const Yield& a, const Yield& b) { return a.is_cheaper_than(b); });
            const auto pods = least_pods_for(demand_.front().pods, yields);
            if (!pods) {
                return std::nullopt;
            }
            zone.least_pods = std::max(zone.least_pods, *pods);
        }
        zone.units = units_in(order);
        add_units_that_bar(zone.units);
        return zone;
    }

    // Raises the zone's bounds to what one resource needs; false: there is not enough of it.
    [[nodiscard]] bool bound_by(std::size_t resource, std::int64_t needed, const std::vector<NodeId>& nodes,
                                Zone& zone) const {
        std::vector<std::int64_t> amounts;
        std::map<std::uint32_t, std::int64_t> of_fallen;  // [gang] amounts of pods whose loss also fells the root.
        for (const NodeId node : nodes) {
            if (use_.nodes[node] == 0) {
                continue;
            }
            needed = saturating_sum(needed, -std::max<std::int64_t>(0, snapshot_.room[resource][node]));
            for (const PodNumber number : candidates_.pods_on(node)) {
                const CandidatePod& pod = candidates_.pod(number);
                const auto is_open = [&](UnitNumber u) { return may_go_[u] != 0; };
                const auto spares_root = [&](UnitNumber u) {
                    return may_go_[u] != 0 && !candidates_.unit(u).fells_root;
                };
                if (pod.amounts[resource] == 0 || std::ranges::none_of(pod.units, is_open)) {
                    continue;
                }
                amounts.push_back(pod.amounts[resource]);
                if (std::ranges::none_of(pod.units, spares_root)) {
                    of_fallen[pod.gang] = saturating_sum(of_fallen[pod.gang], pod.amounts[resource]);
                }
            }
        }
        const auto fewest = [](std::int64_t missing, std::vector<std::int64_t> from) -> std::optional<std::int64_t> {
            std::ranges::sort(from, std::greater<>());
            std::int64_t count = 0;
            for (; missing > 0; ++count) {
                if (std::cmp_greater_equal(count, from.size())) {
                    return std::nullopt;
                }
                missing -= from[static_cast<std::size_t>(count)];
            }
            return count;
        };
        const auto pods = fewest(needed, amounts);
        if (!pods) {
            return false;
        }
        zone.least_pods = std::max(zone.least_pods, *pods);
        std::vector<std::int64_t> fallen;
        std::int64_t without_roots = 0;
        for (const std::int64_t amount : amounts) {
            without_roots = saturating_sum(without_roots, amount);
        }
        for (const auto& [gang, amount] : of_fallen) {
            fallen.push_back(amount);
            without_roots = saturating_sum(without_roots, -amount);
        }
        zone.least_roots =
            std::max(zone.least_roots, fewest(saturating_sum(needed, -without_roots), fallen).value_or(0));
        return true;
    }

    // Units that leave their root its minimum come first, then those on nodes where a slot is cheapest.
    [[nodiscard]] std::vector<UnitNumber> units_in(const std::vector<NodeId>& order) const {
        std::map<UnitNumber, std::size_t> first_node;
        for (std::size_t at = 0; at < order.size(); ++at) {
            if (use_.nodes[order[at]] == 0) {
                continue;
            }
            for (const PodNumber pod : candidates_.pods_on(order[at])) {
                for (const UnitNumber u : candidates_.pod(pod).units) {
                    if (may_go_[u] != 0) {
                        first_node.emplace(u, at);
                    }
                }
            }
        }
        std::vector<std::tuple<bool, std::size_t, std::size_t, UnitNumber>> rows;
        for (const auto& [u, at] : first_node) {
            rows.emplace_back(candidates_.unit(u).fells_root, at, candidates_.unit(u).pods.size(), u);
        }
        std::ranges::sort(rows);
        std::vector<UnitNumber> units;
        units.reserve(rows.size());
        for (const auto& row : rows) {
            units.push_back(std::get<UnitNumber>(row));
        }
        return units;
    }

    // Wherever they are: a topologyKey may reach beyond the zone.
    void add_units_that_bar(std::vector<UnitNumber>& units) const {
        for (UnitNumber u = 0; u < may_go_.size(); ++u) {
            if (may_go_[u] != 0 && bars_nodes(candidates_, u) && std::ranges::find(units, u) == units.end()) {
                units.push_back(u);
            }
        }
    }

    const Snapshot& snapshot_;
    const Gang& gang_;
    const Candidates& candidates_;
    std::vector<std::uint8_t> may_go_;  // [unit]
    std::vector<LeastDemand> demand_;
    std::set<model::PodClassId> pod_classes_;
    Use use_;
    std::vector<Yield> yields_;           // [node] of the hardest class.
    std::vector<std::uint32_t> rank_of_;  // [node] rank of the node's domain at the narrowest level.
};

}  // namespace

std::vector<UnitNumber> useful_units(const Snapshot& snapshot, const Gang& gang, const Candidates& candidates) {
    const Use use = use_of(snapshot, waiting_pod_classes(gang));
    const auto frees = [&](PodNumber number) {
        const CandidatePod& pod = candidates.pod(number);
        bool frees_some = false;
        for (std::size_t r = 0; r < pod.amounts.size(); ++r) {
            frees_some = frees_some || (use.resources[r] != 0 && pod.amounts[r] > 0);
        }
        return frees_some && use.nodes[pod.node] != 0;
    };
    std::vector<UnitNumber> useful;
    for (UnitNumber u = 0; u < candidates.units().size(); ++u) {
        if (bars_nodes(candidates, u) || std::ranges::any_of(candidates.unit(u).pods, frees)) {
            useful.push_back(u);
        }
    }
    return useful;
}

std::vector<Zone> zones_of(const Snapshot& snapshot, const Gang& gang, const Candidates& candidates,
                           const std::vector<UnitNumber>& units) {
    return ZoneLister(snapshot, gang, candidates, units).zones();
}

}  // namespace echelon::solver::preemption

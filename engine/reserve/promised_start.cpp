#include "engine/reserve/promised_start.hpp"

#include "model/facts/usage.hpp"
#include "solver/backfill/earliest_start.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::engine {

namespace {

using solver::backfill::Moment;
using solver::backfill::Release;

// Moments are seconds since 1970, as ends are declared.
std::vector<Release> releases_of(const model::Cluster& cluster, const model::Gang& gang,
                                 const model::Snapshot& snapshot) {
    std::set<std::string_view> own;
    for (const auto& member : gang.members)
        own.insert(member.uid);
    std::vector<Release> releases;
    for (const auto& [pod, at] : cluster.declared_ends()) {
        const auto node = snapshot.node(pod->node);
        if (!node || own.contains(pod->uid))
            continue;
        Release release{.at = static_cast<Moment>(at), .node = *node, .amounts = {}};
        for (const auto& [resource, amount] : pod->pod_class.requests.entries()) {
            const auto known = std::ranges::lower_bound(snapshot.resources, resource);
            if (known == snapshot.resources.end() || *known != resource)
                continue;
            const auto r = static_cast<std::size_t>(known - snapshot.resources.begin());
            release.amounts.emplace_back(r, model::freed(snapshot.room[r][*node], amount));
        }
        releases.push_back(std::move(release));
    }
    return releases;
}

DomainId domain_at(const model::Snapshot& snapshot, model::LevelRef level, model::NodeId node) {
    const auto& tree = snapshot.trees[level.tree];
    return {tree.name, tree.keys[level.depth], snapshot.path(level.tree, level.depth, node)};
}

DomainId domain_around(const model::Snapshot& snapshot, const model::Gang& gang,
                       const std::vector<model::NodeId>& nodes) {
    const auto& required = gang.groups.front().required;
    if (!required.empty())
        return domain_at(snapshot, *std::ranges::max_element(required, {}, &model::LevelRef::depth), nodes.front());
    const auto& tree = snapshot.trees.front();
    for (auto depth = static_cast<std::uint32_t>(tree.keys.size()); depth-- > 0;) {
        const auto& domain_of = tree.domain_of[depth];
        const auto first = domain_of[nodes.front()];
        if (first != model::nowhere && std::ranges::all_of(nodes, [&](auto node) { return domain_of[node] == first; }))
            return domain_at(snapshot, {0, depth}, nodes.front());
    }
    return {};
}

std::vector<model::NodeId> nodes_of(const solver::Plan& plan) {
    std::set<model::NodeId> nodes;
    for (const auto& seat : plan.seats)
        nodes.insert(seat.node);
    return {nodes.begin(), nodes.end()};
}

}  // namespace

PromisedStartSearch promised_start(const Facts& facts, const DomainReservations& reservations, const model::Gang& gang,
                                   const model::Snapshot& snapshot, solver::SolveOptions budget) {
    auto releases = releases_of(facts.cluster, gang, snapshot);
    if (releases.empty() || gang.groups.empty())
        return {};
    auto open = snapshot;
    for (const auto& [owner, reservation] : reservations.all()) {
        if (owner == gang.root)
            continue;
        for (const auto node : reserved_nodes(snapshot, reservation)) {
            for (auto& eligible : open.eligible)
                eligible[node] = 0;
        }
    }
    const auto now = static_cast<Moment>((facts.now + facts.options.epoch).count()) / 1000;
    auto earliest = solver::backfill::earliest_start(open, gang, std::move(releases), now, budget);
    PromisedStartSearch out{.found = {}, .steps = earliest.steps};
    if (!earliest.start || earliest.start->at == now)
        return out;
    const auto nodes = nodes_of(earliest.start->plan);
    if (nodes.empty())
        return out;
    auto& found = out.found.emplace();
    found.domain = domain_around(snapshot, gang, nodes);
    found.promise.at = static_cast<std::int64_t>(earliest.start->at);
    for (const auto node : nodes)
        found.promise.nodes.push_back(snapshot.node_names[node]);
    return out;
}

}  // namespace echelon::engine

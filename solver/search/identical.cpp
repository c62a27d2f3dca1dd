#include "solver/search/identical.hpp"

#include "solver/packing/inner_room.hpp"
#include "solver/packing/slots.hpp"
#include "solver/packing/spread.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>

namespace echelon::solver {
namespace {

using model::Gang;
using model::GangGroup;
using model::LevelRef;
using model::Member;
using model::Snapshot;

// True if equal pods wait, none is bound, and at most one required level is the only rule.
bool is_simple(const Gang& gang) {
    const GangGroup& leaf = gang.groups.front();
    const auto members = static_cast<std::int64_t>(gang.members.size());
    return gang.groups.size() == 1 && leaf.is_leaf && leaf.required.size() <= 1 && leaf.preferred.empty() &&
           (leaf.required.empty() || leaf.required.front().tree == 0) && leaf.multiples.empty() &&
           gang.domain_limits.empty() && leaf.first_member == 0 && leaf.last_member == gang.members.size() &&
           members > 0 && leaf.minimum <= members && gang.warnings.empty() &&
           std::ranges::all_of(gang.members, [&](const Member& member) {
               return member.state == Member::State::waiting && member.pod_class == gang.members.front().pod_class &&
                      member.affinity_class == 0 && !member.is_placeholder;
           });
}

// What is free of the scarcest resource in the domain, the nodes in it, and what is free on the freest one. Smaller is
// better (O6).
using Tightness = std::array<std::int64_t, 3>;

struct Best {
    std::uint32_t domain = model::nowhere;
    Tightness tightness{};
};

// What each pod takes of the scarcest resource, and how many there are.
struct Pods {
    std::int64_t count = 0;
    std::int64_t need = 0;
};

// False only if the scarcest resource alone rules the pods out. True if `free` of the nodes may have wrapped.
bool may_hold(const RangeRoom& room, std::uint32_t nodes, Pods pods) {
    const bool is_exact = room.largest <= std::numeric_limits<std::int64_t>::max() / nodes;
    return pods.need == 0 || !is_exact || room.free / pods.need >= pods.count;
}

// The tightest domain of the level that holds all pods. Slots are most of the work, so they are counted last.
Best tightest(const model::Tree& tree, std::uint32_t depth, const RangeScan& scan, Pods pods) {
    Best best;
    std::uint32_t best_first = 0;
    for (std::uint32_t d = 0; d < tree.domains[depth].size(); ++d) {
        const auto [first, last, parent] = tree.domains[depth][d];
        const RangeRoom room = scan.free_in(first, last);
        const Tightness tightness{room.free, last - first, room.largest};
        const bool is_better = best.domain == model::nowhere || tightness < best.tightness ||
                               (tightness == best.tightness && first < best_first);
        if (is_better && may_hold(room, last - first, pods) && scan.of(first, last).slots >= pods.count) {
            best = {.domain = d, .tightness = tightness};
            best_first = first;
        }
    }
    return best;
}

// The runs of nodes that share a domain of the widest level and have room. Nodes without such a domain are one run,
// however many domains without room lie between them.
std::vector<Run> widest_runs(const model::Tree& tree, const RangeScan& scan) {
    const auto& domain_of = tree.domain_of.front();
    const bool is_of_hosts = tree.domain_of.size() == 1;
    std::vector<Run> runs;
    for (std::size_t first = 0, last = 0; first < domain_of.size(); first = last) {
        const bool is_domain = is_of_hosts || domain_of[first] != model::nowhere;
        for (last = first + 1; !is_of_hosts && last < domain_of.size() && domain_of[last] == domain_of[first];) {
            ++last;
        }
        const RangeRoom room = scan.of(first, last);
        if (room.slots == 0 && room.free == 0) {
            continue;
        }
        if (is_domain || runs.empty() || runs.back().is_domain) {
            runs.push_back({.first = first, .is_domain = is_domain});
        }
        Run& run = runs.back();
        run.last = last;
        run.slots += room.slots;
        run.scarce += room.free;
        run.largest = std::max(run.largest, room.largest);
    }
    return runs;
}

// The nodes of a range that have room.
std::vector<NodeShare> shares_of(const RangeScan& scan, std::size_t first, std::size_t last) {
    std::vector<NodeShare> nodes;
    nodes.reserve(last - first);
    for (std::size_t n = first; n < last; ++n) {
        const RangeRoom room = scan.of(n, n + 1);
        if (room.slots > 0 || room.free > 0) {
            nodes.push_back(
                {.node = static_cast<model::NodeId>(n), .slots = room.slots, .scarce = room.free, .take = 0});
        }
    }
    return nodes;
}

void append_seats(const std::vector<NodeShare>& nodes, Plan& plan) {
    for (const NodeShare& share : nodes) {
        for (std::int64_t i = 0; i < share.take; ++i) {
            plan.seats.push_back({.member = static_cast<std::uint32_t>(plan.seats.size()), .node = share.node});
        }
    }
}

// In the tightest domain of the level that the gang requires. False: no domain holds all pods.
bool place_in_domain(const model::Tree& tree, std::uint32_t depth, const RangeScan& scan, Pods pods, Plan& plan) {
    const Best best = tightest(tree, depth, scan, pods);
    if (best.domain == model::nowhere) {
        return false;
    }
    const model::Domain& domain = tree.domains[depth][best.domain];
    std::vector<NodeShare> nodes = shares_of(scan, domain.first, domain.last);
    gather(tree, depth + 1, nodes, pods.count, pods.need);
    append_seats(nodes, plan);
    return true;
}

// Anywhere. Only nodes of domains that get pods are looked at one by one. False: not all pods have room.
bool place_anywhere(const model::Tree& tree, const RangeScan& scan, Pods pods, Plan& plan) {
    std::vector<Run> runs = widest_runs(tree, scan);
    std::int64_t slots = 0;
    for (const Run& run : runs) {
        slots += run.slots;
    }
    if (slots < pods.count) {
        return false;
    }
    keep_domains_free(runs, pods.count, pods.need);
    for (const Run& run : runs) {
        if (run.take == 0) {
            continue;
        }
        std::vector<NodeShare> nodes = shares_of(scan, run.first, run.last);
        if (tree.domain_of.size() == 1) {
            nodes.front().take = run.take;
        } else {
            spread(tree, 1, model::nowhere, nodes, run.take, pods.need);
        }
        append_seats(nodes, plan);
    }
    return true;
}

}  // namespace

std::optional<Plan> place_identical(const Snapshot& snapshot, const Gang& gang) {
    if (!is_simple(gang)) {
        return std::nullopt;
    }
    const GangGroup& leaf = gang.groups.front();
    const auto pods = static_cast<std::int64_t>(gang.members.size());
    const model::PodClassId pod_class = gang.members.front().pod_class;
    if (is_judged_inside(snapshot, pod_class)) {
        return std::nullopt;
    }
    const std::size_t scarce = scarcest(snapshot, snapshot.room, std::span(&pod_class, 1), std::span(&pods, 1));
    const RangeScan scan(snapshot, snapshot.room, pod_class, scarce);
    const Pods all{.count = pods, .need = snapshot.need[pod_class][scarce]};
    const model::Tree& tree = snapshot.trees.front();
    Plan plan{.seats = {}, .message = {}, .steps = 1};
    plan.seats.reserve(gang.members.size());
    const bool is_placed = leaf.required.empty() ? place_anywhere(tree, scan, all, plan)
                                                 : place_in_domain(tree, leaf.required.front().depth, scan, all, plan);
    if (!is_placed) {
        return std::nullopt;
    }
    return plan;
}

}  // namespace echelon::solver

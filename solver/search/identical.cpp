#include "solver/search/identical.hpp"

#include "solver/packing/inner_room.hpp"
#include "solver/packing/slots.hpp"
#include "solver/packing/spread.hpp"

#include <algorithm>
#include <array>
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
               return member.state == Member::State::waiting && member.shape == gang.members.front().shape &&
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

// Running sums along the first tree, whose order is that of the nodes.
struct Sums {
    Running slots;
    Running free;  // Of the scarcest resource.
};

std::int64_t between(const Running& running, const model::Domain& domain) {
    return running[domain.last] - running[domain.first];
}

// The tightest domain of the level that holds all pods.
Best tightest(const model::Tree& tree, std::uint32_t depth, const Sums& sums, std::int64_t pods) {
    Best best;
    std::uint32_t best_first = 0;
    for (std::uint32_t d = 0; d < tree.domains[depth].size(); ++d) {
        const model::Domain& domain = tree.domains[depth][d];
        if (between(sums.slots, domain) < pods) {
            continue;
        }
        Tightness tightness{between(sums.free, domain), domain.last - domain.first, 0};
        if (best.domain != model::nowhere && best.tightness < tightness) {
            continue;
        }
        for (std::uint32_t n = domain.first; n < domain.last; ++n) {
            tightness.back() = std::max(tightness.back(), sums.free[n + 1] - sums.free[n]);
        }
        if (best.domain == model::nowhere || tightness < best.tightness ||
            (tightness == best.tightness && domain.first < best_first)) {
            best = {.domain = d, .tightness = tightness};
            best_first = domain.first;
        }
    }
    return best;
}

}  // namespace

std::optional<Plan> place_identical(const Snapshot& snapshot, const Gang& gang) {
    if (!is_simple(gang)) {
        return std::nullopt;
    }
    const GangGroup& leaf = gang.groups.front();
    const auto pods = static_cast<std::int64_t>(gang.members.size());
    const model::PodClassId shape = gang.members.front().shape;
    if (is_judged_inside(snapshot, shape)) {
        return std::nullopt;
    }
    const std::size_t scarce = scarcest(snapshot, snapshot.room, std::span(&shape, 1), std::span(&pods, 1));
    const Sums sums{.slots = running_slots(snapshot, snapshot.room, shape),
                    .free = running_room(snapshot, snapshot.room[scarce])};
    const model::Tree& tree = snapshot.trees.front();
    const std::uint32_t depth = leaf.required.empty() ? 0 : leaf.required.front().depth;
    std::uint32_t first = 0;
    auto last = static_cast<std::uint32_t>(snapshot.node_count());
    if (!leaf.required.empty()) {
        const Best best = tightest(tree, depth, sums, pods);
        if (best.domain == model::nowhere) {
            return std::nullopt;
        }
        first = tree.domains[depth][best.domain].first;
        last = tree.domains[depth][best.domain].last;
    }
    if (sums.slots[last] - sums.slots[first] < pods) {
        return std::nullopt;
    }
    std::vector<NodeShare> nodes;
    nodes.reserve(last - first);
    for (std::uint32_t n = first; n < last; ++n) {
        const std::int64_t slots = sums.slots[n + 1] - sums.slots[n];
        const std::int64_t free = sums.free[n + 1] - sums.free[n];
        if (slots > 0 || free > 0) {
            nodes.push_back({.node = n, .slots = slots, .scarce = free, .take = 0});
        }
    }
    const std::int64_t need = snapshot.need[shape][scarce];
    if (leaf.required.empty()) {
        spread(tree, depth, model::nowhere, nodes, pods, need);
    } else {
        gather(tree, depth + 1, nodes, pods, need);
    }
    Plan plan{.seats = {}, .message = {}, .steps = 1};
    for (const NodeShare& share : nodes) {
        for (std::int64_t i = 0; i < share.take; ++i) {
            plan.seats.push_back({.member = static_cast<std::uint32_t>(plan.seats.size()), .node = share.node});
        }
    }
    return plan;
}

}  // namespace echelon::solver

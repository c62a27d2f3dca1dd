#include "solver/identical.hpp"

#include "solver/slots.hpp"
#include "solver/spread.hpp"

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

bool is_plain(const Gang& gang) {
    const GangGroup& leaf = gang.groups.front();
    const auto members = static_cast<std::int64_t>(gang.members.size());
    return gang.groups.size() == 1 && leaf.is_leaf && leaf.required.size() <= 1 && leaf.preferred.empty() &&
           leaf.multiples.empty() && leaf.first_member == 0 && leaf.last_member == gang.members.size() && members > 0 &&
           leaf.minimum <= members && gang.warnings.empty() &&
           std::ranges::all_of(gang.members, [&](const Member& member) {
               return member.state == Member::State::waiting && member.shape == gang.members.front().shape;
           });
}

// What is free of the scarcest resource in the domain and in those around it, widest first: smaller is better (O4).
using Tightness = std::array<std::int64_t, 6>;

struct Best {
    std::uint32_t domain = model::nowhere;
    Tightness tightness{};
};

// [domain] what its nodes have together.
std::vector<std::int64_t> sums_of(const model::Tree& tree, std::uint32_t depth, const std::int64_t* at) {
    const model::NodeId* order = tree.order.data();  // Bare pointers: these loops are most of the decision.
    std::vector<std::int64_t> sums;
    sums.reserve(tree.domains[depth].size());
    for (const model::Domain& domain : tree.domains[depth]) {
        std::int64_t sum = 0;
        for (const model::NodeId node : std::span(order + domain.first, order + domain.last)) {
            sum += at[node];
        }
        sums.push_back(sum);
    }
    return sums;
}

// The tightest domain of the level that holds all pods.
Best tightest(const model::Tree& tree, std::uint32_t depth, const std::vector<std::int64_t>& slots,
              const std::vector<std::int64_t>& free, std::int64_t pods) {
    const std::vector<std::int64_t> fits = sums_of(tree, depth, slots.data());
    std::vector<std::vector<std::int64_t>> sums;
    for (std::uint32_t d = 0; d <= depth; ++d) {
        sums.push_back(sums_of(tree, d, free.data()));
    }
    Best best;
    std::uint32_t best_first = 0;
    for (std::uint32_t domain = 0; domain < fits.size(); ++domain) {
        if (fits[domain] < pods) {
            continue;
        }
        const std::uint32_t first = tree.domains[depth][domain].first;
        Tightness tightness{};
        std::size_t next = 0;
        for (std::uint32_t d = 0; d < depth && next + 1 < tightness.size(); ++d) {
            const std::uint32_t around = tree.domain_of[d][tree.order[first]];
            tightness[next++] = around == model::nowhere ? 0 : sums[d][around];
        }
        tightness.back() = sums[depth][domain];
        if (best.domain == model::nowhere || tightness < best.tightness ||
            (tightness == best.tightness && first < best_first)) {
            best = {.domain = domain, .tightness = tightness};
            best_first = first;
        }
    }
    return best;
}

}  // namespace

std::optional<Plan> place_identical(const Snapshot& snapshot, const Gang& gang) {
    if (!is_plain(gang)) {
        return std::nullopt;
    }
    const GangGroup& leaf = gang.groups.front();
    const auto pods = static_cast<std::int64_t>(gang.members.size());
    const model::ShapeId shape = gang.members.front().shape;
    const std::vector<std::int64_t> slots = slots_per_node(snapshot, snapshot.room, shape);
    const std::size_t scarce = scarcest(snapshot, snapshot.room, std::span(&shape, 1), std::span(&pods, 1));
    const std::vector<std::int64_t> free = usable_room(snapshot, snapshot.room[scarce]);
    std::uint32_t depth = 0;
    std::uint32_t first = 0;
    auto last = static_cast<std::uint32_t>(snapshot.node_count());
    const model::Tree& tree = snapshot.trees[leaf.required.empty() ? 0 : leaf.required.front().tree];
    if (!leaf.required.empty()) {
        depth = leaf.required.front().depth;
        const Best best = tightest(tree, depth, slots, free, pods);
        if (best.domain == model::nowhere) {
            return std::nullopt;
        }
        first = tree.domains[depth][best.domain].first;
        last = tree.domains[depth][best.domain].last;
    }
    std::vector<Seatable> nodes;
    std::int64_t sum = 0;
    for (std::uint32_t i = first; i < last; ++i) {
        const model::NodeId node = tree.order[i];
        if (slots[node] > 0 || free[node] > 0) {
            nodes.push_back({.node = node, .slots = slots[node], .scarce = free[node], .take = 0});
            sum += slots[node];
        }
    }
    if (sum < pods) {
        return std::nullopt;
    }
    spread(tree, depth, model::nowhere, nodes, pods, snapshot.need[shape][scarce]);
    std::ranges::sort(nodes, {}, &Seatable::node);
    Plan plan{.seats = {}, .message = {}, .steps = 1};
    for (const Seatable& seatable : nodes) {
        for (std::int64_t i = 0; i < seatable.take; ++i) {
            plan.seats.push_back({.member = static_cast<std::uint32_t>(plan.seats.size()), .node = seatable.node});
        }
    }
    return plan;
}

}  // namespace echelon::solver

#include "solver/packing/spread.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

namespace echelon::solver {
namespace {

// What is free in the domain; -1: the run is no domain.
std::int64_t free_in_domain(const Run& run) {
    return run.is_domain ? run.scarce : -1;
}

// Uses few runs: the tightest that holds all; else fills the largest and continues with the rest (O3).
void take_few(std::vector<Run>& runs, std::int64_t count) {
    std::vector<std::size_t> order(runs.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return runs[i].slots; });
    auto largest = order.begin();
    for (; largest != order.end() && runs[*largest].slots < count; ++largest) {
        runs[*largest].take = runs[*largest].slots;
        count -= runs[*largest].slots;
    }
    const auto end = std::find_if(largest, order.end(), [&](std::size_t i) { return runs[i].slots < count; });
    if (largest == end) {
        return;
    }
    const auto tightest = std::ranges::min_element(
        largest, end, {}, [&](std::size_t i) { return std::pair(runs[i].scarce, runs[i].slots); });
    runs[*tightest].take = count;
}

// The tightest run that holds all; else the smaller ones, tightest first, and then few of the large ones (O6).
void take_small(std::vector<Run>& runs, std::int64_t count) {
    const bool is_split = std::ranges::none_of(runs, [&](const Run& run) { return run.slots >= count; });
    const auto is_small = [](const Run& run) { return !run.is_large; };
    const auto large = is_split ? std::stable_partition(runs.begin(), runs.end(), is_small) : runs.begin();
    std::stable_sort(runs.begin(), large,
                     [](const Run& a, const Run& b) { return free_in_domain(a) < free_in_domain(b); });
    for (auto run = runs.begin(); run != large; ++run) {
        run->take = std::min(run->slots, count);
        count -= run->take;
    }
    if (count > 0) {
        std::vector<Run> rest(large, runs.end());
        take_few(rest, count);
        std::ranges::move(rest, large);
    }
}

// The runs of nodes that share a domain; at the narrowest level each node is one.
std::vector<Run> runs_of(const model::Tree& tree, std::uint32_t depth, std::span<const NodeShare> nodes) {
    const bool at_nodes = depth + 1 >= tree.domain_of.size();
    std::vector<Run> runs;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const bool same =
            !at_nodes && i > 0 && tree.domain_of[depth][nodes[i].node] == tree.domain_of[depth][nodes[i - 1].node];
        if (!same) {
            runs.push_back({.first = i, .last = i});
            runs.back().is_domain = at_nodes || tree.domain_of[depth][nodes[i].node] != model::nowhere;
        }
        runs.back().last = i + 1;
        runs.back().slots += nodes[i].slots;
        runs.back().scarce += nodes[i].scarce;
        runs.back().largest = std::max(runs.back().largest, nodes[i].scarce);
    }
    return runs;
}

}  // namespace

void keep_domains_free(std::vector<Run>& runs, std::int64_t count, std::int64_t need) {
    std::vector<std::size_t> order(runs.size());
    std::iota(order.rbegin(), order.rend(), 0U);  // Of equal runs the last ones stay free (O5).
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return std::tuple(free_in_domain(runs[a]), runs[a].largest, runs[a].slots) >
               std::tuple(free_in_domain(runs[b]), runs[b].largest, runs[b].slots);
    });
    std::int64_t spare = -count;
    for (Run& run : runs) {
        spare += run.slots;
        run.take = run.slots;
    }
    std::size_t first = 0;
    while (first < order.size() && runs[order[first]].slots <= spare) {  // No pod goes there.
        Run& run = runs[order[first++]];
        spare -= run.slots;
        run.take = 0;
    }
    while (spare > 0 && first < order.size()) {
        const auto left = [&](std::size_t i) {
            const std::int64_t taken = need * (runs[i].slots - std::min(runs[i].slots, spare));
            return runs[i].is_domain ? runs[i].scarce - taken : -1;
        };
        const auto best = std::max_element(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
                                           [&](std::size_t a, std::size_t b) { return left(a) < left(b); });
        Run& run = runs[*best];
        run.take = run.slots - std::min(run.slots, spare);
        spare -= run.slots - run.take;
        std::rotate(order.begin() + static_cast<std::ptrdiff_t>(first), best, best + 1);
        ++first;
    }
}

void spread(const model::Tree& tree, std::uint32_t depth, std::uint32_t compact_depth, std::span<NodeShare> nodes,
            std::int64_t count, std::int64_t need) {
    if (count == 0 || nodes.empty()) {
        return;
    }
    const bool at_nodes = depth + 1 >= tree.domain_of.size();
    std::vector<Run> runs = runs_of(tree, depth, nodes);
    if (compact_depth != model::nowhere && depth <= compact_depth) {
        take_few(runs, count);
    } else {
        keep_domains_free(runs, count, need);
    }
    for (const Run& run : runs) {
        if (at_nodes) {
            nodes[run.first].take = run.take;
        } else {
            spread(tree, depth + 1, compact_depth, nodes.subspan(run.first, run.last - run.first), run.take, need);
        }
    }
}

void gather(const model::Tree& tree, std::uint32_t depth, std::span<NodeShare> nodes, std::int64_t count,
            std::int64_t need) {
    if (depth + 1 >= tree.domain_of.size() || count == 0) {
        spread(tree, depth, model::nowhere, nodes, count, need);
        return;
    }
    std::uint32_t largest = 0;
    for (const model::Domain& domain : tree.domains[depth]) {
        largest = std::max(largest, domain.last - domain.first);
    }
    std::vector<Run> runs = runs_of(tree, depth, nodes);
    for (Run& run : runs) {
        if (run.is_domain) {
            const model::Domain& domain = tree.domains[depth][tree.domain_of[depth][nodes[run.first].node]];
            run.is_large = domain.last - domain.first == largest;
        }
    }
    take_small(runs, count);
    for (const Run& run : runs) {
        gather(tree, depth + 1, nodes.subspan(run.first, run.last - run.first), run.take, need);
    }
}

}  // namespace echelon::solver

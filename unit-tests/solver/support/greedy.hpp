#pragma once

// What would a scheduler do that places sibling groups one after another and never returns to an earlier choice?
// Implements the rules of two projects for the cases of families.hpp; the projects' programs are not run.

#include "unit-tests/solver/support/families.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

namespace echelon::solver::testing {

enum class Rule : std::uint8_t {
    // A domain is judged by slots for the largest pod; then the tightest by what is free, pod by pod on the fullest
    // host.
    kai,
    // A domain is judged by slots for the pods of the group; then the one with the fewest slots, hosts with most first.
    kueue,
};

class Greedy {
public:
    Greedy(const Case& what, Rule rule, bool largest_first) : case_(what), racks_(what.racks), rule_(rule) {
        order_.resize(what.groups.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        if (largest_first) {
            std::ranges::stable_sort(order_, [&](std::size_t a, std::size_t b) {
                return std::pair(what.groups[a].size, what.pods_of(a)) >
                       std::pair(what.groups[b].size, what.pods_of(b));
            });
        }
    }

    // Whether the rule can state what the gang asks for.
    [[nodiscard]] bool can_ask() const { return rule_ == Rule::kai || !case_.family.in_one_block; }

    [[nodiscard]] bool places() {
        if (!case_.family.in_one_block)
            return place_groups(0, racks_.size());
        // The whole gang asks for one block: the blocks that pass are tried in turn, each from the start.
        std::int64_t largest = 0;
        std::int64_t count = 0;
        for (const std::size_t group : order_) {
            largest = std::max(largest, case_.groups[group].size);
            count += case_.pods_of(group);
        }
        std::vector<std::pair<std::int64_t, std::size_t>> blocks;
        for (std::size_t at_block = 0; at_block < case_.family.blocks; ++at_block) {
            std::int64_t slots = 0;
            std::int64_t free = 0;
            for (std::size_t at_rack = first_of(at_block); at_rack < first_of(at_block + 1); ++at_rack) {
                slots += slots_in(racks_[at_rack], largest);
                free += std::accumulate(racks_[at_rack].begin(), racks_[at_rack].end(), std::int64_t{0});
            }
            if (slots >= count)
                blocks.emplace_back(free, at_block);
        }
        std::ranges::sort(blocks);
        return std::ranges::any_of(blocks, [&](const auto& at_block) {
            racks_ = case_.racks;
            return place_groups(first_of(at_block.second), first_of(at_block.second + 1));
        });
    }

private:
    [[nodiscard]] std::size_t first_of(std::size_t at_block) const { return at_block * case_.family.racks; }

    static std::int64_t slots_in(const std::vector<std::int64_t>& hosts, std::int64_t size) {
        std::int64_t slots = 0;
        for (const std::int64_t room : hosts)
            slots += room / size;
        return slots;
    }

    // Groups in order; one that finds no rack is left out, and the gang needs K.
    bool place_groups(std::size_t first, std::size_t last) {
        std::size_t placed = 0;
        for (const std::size_t group : order_)
            placed += placed < case_.family.needed && place_group(group, first, last) ? 1U : 0U;
        return placed == case_.family.needed;
    }

    bool place_group(std::size_t group, std::size_t first, std::size_t last) {
        const std::vector<std::int64_t> lumps = case_.lumps_of(group);
        std::vector<std::pair<std::int64_t, std::size_t>> racks;
        for (std::size_t at_rack = first; at_rack < last; ++at_rack) {
            const std::int64_t slots = slots_in(racks_[at_rack], case_.groups[group].size);
            const std::int64_t free = std::accumulate(racks_[at_rack].begin(), racks_[at_rack].end(), std::int64_t{0});
            if (slots >= case_.pods_of(group))
                racks.emplace_back(rule_ == Rule::kai ? free : slots, at_rack);
        }
        std::ranges::sort(racks);
        return std::ranges::any_of(racks, [&](const auto& at_rack) { return fill(racks_[at_rack.second], lumps); });
    }

    bool fill(std::vector<std::int64_t>& hosts, const std::vector<std::int64_t>& lumps) const {
        std::vector<std::int64_t> left = hosts;
        for (const std::int64_t lump : lumps) {
            std::optional<std::size_t> best;
            for (std::size_t room = 0; room < left.size(); ++room) {
                if (left[room] < lump)
                    continue;
                const bool is_better =
                    !best || (rule_ == Rule::kai ? left[room] < left[*best] : left[room] > left[*best]);
                if (is_better)
                    best = room;
            }
            if (!best)
                return false;
            left[*best] -= lump;
        }
        hosts = std::move(left);
        return true;
    }

    const Case& case_;
    std::vector<std::vector<std::int64_t>> racks_;
    Rule rule_;
    std::vector<std::size_t> order_;
};

}  // namespace echelon::solver::testing

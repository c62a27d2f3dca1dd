#include "solver/packing/device_matching.hpp"

#include "solver/packing/claim_search.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace echelon::solver {

using model::ClaimAsk;
using model::NodeDevices;

DeviceMatching::DeviceMatching(const NodeDevices& node, bool is_empty) : node_(node), counters_(node.counters) {
    for (const NodeDevices::Item& item : node.devices) {
        if (item.is_taken && !is_empty) {
            taken_ |= item.takers;
            for (const auto& [counter, amount] : item.counters) {
                counters_[counter] -= amount;
            }
            continue;
        }
        NodeDevices::Item free = item;
        free.is_taken = false;
        free.takers &= is_empty ? free.takers : ~free.hidden;
        free.hidden = 0;
        const auto same = std::ranges::find(types_, free, &Type::item);
        if (same == types_.end()) {
            types_.push_back({.item = std::move(free), .count = 1});
        } else {
            ++same->count;
        }
    }
    find_parts();
}

void DeviceMatching::find_parts() {
    std::vector<std::size_t> joined(counters_.size());  // [counter] A counter that a device takes together with it.
    std::iota(joined.begin(), joined.end(), std::size_t{0});
    const auto first_of = [&joined](std::size_t counter) {
        while (joined[counter] != counter) {
            counter = joined[counter];
        }
        return counter;
    };
    for (const Type& type : types_) {
        for (const auto& [counter, amount] : type.item.counters) {
            joined[first_of(counter)] = first_of(type.item.counters.front().first);
        }
    }
    std::map<std::size_t, std::size_t> part_of;  // By the first counter.
    for (std::size_t t = 0; t < types_.size(); ++t) {
        const auto& used = types_[t].item.counters;
        const auto [known, is_new] =
            part_of.try_emplace(used.empty() ? counters_.size() + t : first_of(used.front().first), parts_.size());
        if (is_new) {
            parts_.emplace_back();
        }
        parts_[known->second].types.push_back(t);
    }
    std::map<std::vector<PartRow>, std::size_t> kinds;
    for (Part& part : parts_) {
        part.kind = kinds.emplace(rows_of(part), kinds.size()).first->second;
    }
}

// What makes parts alike: their counters are numbered from 0 on.
std::vector<DeviceMatching::PartRow> DeviceMatching::rows_of(const Part& part) const {
    std::vector<PartRow> rows;
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (const std::size_t t : part.types) {
        NodeDevices::Item item = types_[t].item;
        std::vector<std::int64_t> left;
        for (auto& [counter, amount] : item.counters) {
            left.push_back(counters_[counter]);
            counter = numbers.emplace(counter, static_cast<std::uint32_t>(numbers.size())).first->second;
        }
        rows.emplace_back(types_[t].count, std::move(item), std::move(left));
    }
    return rows;
}

// The most that a device of the kind takes of counters.
std::int64_t DeviceMatching::share_of(std::uint32_t kind) const {
    std::int64_t most = 0;
    for (const Type& type : types_) {
        if (takes(type, kind) && !type.item.counters.empty()) {
            most = std::max(most, 1 + taken_share(type, node_));
        }
    }
    return most;
}

// A kind that no device of the node can be taken for has no number.
DeviceMatching::Claim DeviceMatching::claim_of(const ClaimAsk& ask) const {
    Claim claim{.requests = {}, .rules = {}, .is_plain = true};
    for (const model::AttributeRule& rule : ask.rules) {
        const auto at = std::ranges::find(node_.attributes, rule.attribute) - node_.attributes.begin();
        claim.rules.push_back({.attribute = static_cast<std::uint32_t>(at), .is_distinct = rule.is_distinct});
    }
    for (const auto& request : ask.requests) {
        auto& choices = claim.requests.emplace_back();
        std::int64_t least = request.empty() ? 0 : request.front().count;
        for (const model::DeviceChoice& choice : request) {
            const auto at = std::ranges::find(node_.kinds, choice.kind) - node_.kinds.begin();
            const bool is_here = at < std::ssize(node_.kinds);
            choices.push_back({.kind = is_here ? static_cast<std::uint32_t>(at) : no_kind,
                               .count = choice.count,
                               .wants_all = choice.wants_all,
                               .rules = choice.rules});
            claim.is_plain = claim.is_plain && request.size() == 1 && choice.rules.empty() && !choice.wants_all;
            claim.share = std::max(claim.share, share_of(choices.back().kind));
            least = std::min(least, choice.count);
        }
        claim.devices += least;
    }
    return claim;
}

Feasibility DeviceMatching::fit(const ClaimCounts& claims, Operations& work) const {
    CountedClaims sorted;
    for (const auto& [ask, count] : claims) {
        sorted.emplace_back(claim_of(ask), count);
    }
    // Large partitions first, then claims of many devices.
    std::ranges::stable_sort(sorted, std::ranges::greater{},
                             [](const auto& entry) { return std::tie(entry.first.share, entry.first.devices); });
    return search_claims({node_, types_, parts_, counters_, taken_}, sorted, work);
}

}  // namespace echelon::solver

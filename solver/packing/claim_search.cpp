#include "solver/packing/claim_search.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>

namespace echelon::solver {
namespace {

using model::NodeDevices;
using Amounts = std::vector<std::int64_t>;
using Claim = DeviceMatching::Claim;
using Choice = DeviceMatching::Choice;
using Rule = DeviceMatching::Rule;
using Type = DeviceMatching::Type;
using Part = DeviceMatching::Part;

// Eight GPUs with partitions of three sizes need some thousands.
constexpr std::uint64_t most_steps = 20'000;
constexpr std::int64_t whole = 1000;  // Of a counter.
// Far more than a node has of all counters, and small enough that sums don't overflow.
constexpr std::int64_t most_share = std::int64_t{1} << 40U;

__extension__ using Wide = __int128;  // Holds `whole` times any amount.

// How many thousandths of `all` an amount is, rounded down or up. Requires: 0 <= `amount`, 1 <= `all`.
std::int64_t share_down(std::int64_t amount, std::int64_t all) {
    return static_cast<std::int64_t>(std::min<Wide>(Wide{amount} * whole / all, most_share));
}

std::int64_t share_up(std::int64_t amount, std::int64_t all) {
    return static_cast<std::int64_t>(std::min<Wide>((Wide{amount} * whole + all - 1) / all, most_share));
}

// What claims that don't depend on each other want of each kind, by augmenting paths.
class PlainClaims {
public:
    PlainClaims(const std::vector<Type>& types, const Amounts& left) : types_(types), left_(left) {}

    bool fit(const std::map<std::uint32_t, std::int64_t>& wanted) {
        given_.assign(types_.size(), {});
        for (const auto& [kind, count] : wanted) {
            for (std::int64_t i = 0; i < count; ++i) {
                std::vector<bool> seen(types_.size(), false);
                ++steps_;
                if (!augment(kind, seen)) {
                    return false;
                }
            }
        }
        return true;
    }
    [[nodiscard]] std::uint64_t steps() const { return steps_; }

private:
    // Finds a device for one more of a kind, and moves others if needed.
    bool augment(std::uint32_t kind, std::vector<bool>& seen) {
        for (std::size_t t = 0; t < types_.size(); ++t) {
            if (seen[t] || left_[t] == 0 || !takes(types_[t], kind)) {
                continue;
            }
            seen[t] = true;
            std::int64_t used = 0;
            for (const auto& [other, count] : given_[t]) {
                used += count;
            }
            if (used < left_[t]) {
                ++given_[t][kind];
                return true;
            }
            for (auto& [other, count] : given_[t]) {
                if (count > 0 && other != kind && augment(other, seen)) {
                    --count;
                    ++given_[t][kind];
                    return true;
                }
            }
        }
        return false;
    }

    const std::vector<Type>& types_;
    const Amounts& left_;
    std::vector<std::map<std::uint32_t, std::int64_t>> given_;  // [type] kind -> devices.
    std::uint64_t steps_ = 0;
};

class ClaimSearch {
public:
    ClaimSearch(const DeviceState& state, const CountedClaims& claims)
        : node_(state.node), types_(state.types), parts_(state.parts), counters_(state.counters), taken_(state.taken) {
        for (const Type& type : types_) {
            left_.push_back(type.count);
        }
        for (const auto& [claim, count] : claims) {
            if (claim.is_plain && claim.share == 0) {
                add_plain(claim, count);
                continue;
            }
            for (std::int64_t i = 0; i < count; ++i) {
                claims_.push_back(&claim);
            }
        }
        least_shares_.assign(claims_.size() + 1, 0);
        wanted_.assign(claims_.size() + 1, Amounts(node_.kinds.size(), 0));
        for (std::size_t at = claims_.size(); at-- > 0;) {
            least_shares_[at] = least_shares_[at + 1] + least_share(*claims_[at]);
            wanted_[at] = wanted_[at + 1];
            for (const auto& request : claims_[at]->requests) {
                if (request.size() == 1 && request.front().kind != no_kind && !request.front().wants_all) {
                    wanted_[at][request.front().kind] += request.front().count;
                }
            }
        }
    }

    Feasibility run() {
        const bool fits = place(0);
        if (is_cut_) {
            return Feasibility::unknown;
        }
        return fits ? Feasibility::fits : Feasibility::proved_not_to_fit;
    }
    [[nodiscard]] Operations work() const { return (1 + steps_) * (8 + types_.size()); }

private:
    // The claim that is being placed.
    struct Placing {
        const Claim& claim;
        std::size_t at;                                            // Into `claims_`.
        std::vector<std::vector<const std::string*>> values = {};  // [rule] of the devices that it has.
    };

    void add_plain(const Claim& claim, std::int64_t count) {
        for (const auto& request : claim.requests) {
            plain_[request.front().kind] += count * request.front().count;
        }
    }

    bool step() {
        is_cut_ = is_cut_ || ++steps_ > most_steps;
        return !is_cut_;
    }

    // All claims from `at` on, and then the plain ones.
    bool place(std::size_t at) {
        if (!step()) {
            return false;
        }
        if (!has_enough(at)) {
            return false;
        }
        if (at == claims_.size()) {
            PlainClaims plain(types_, left_);
            const bool fits = plain.fit(plain_);
            steps_ += plain.steps();
            return fits;
        }
        const auto state = std::pair(at, state_of_parts());
        if (failed_.contains(state)) {
            return false;
        }
        Placing placing{.claim = *claims_[at], .at = at};
        placing.values.resize(placing.claim.rules.size());
        if (place_request(placing, 0)) {
            return true;
        }
        failed_.insert(state);
        return false;
    }

    // What is left, with parts of one kind in the order of what they have left.
    [[nodiscard]] std::vector<std::pair<std::size_t, Amounts>> state_of_parts() const {
        std::vector<std::pair<std::size_t, Amounts>> state;
        state.reserve(parts_.size());
        for (const Part& part : parts_) {
            auto& row = state.emplace_back(part.kind, Amounts());
            for (const std::size_t type : part.types) {
                row.second.push_back(left_[type]);
            }
        }
        std::ranges::sort(state);
        return state;
    }  // False if the claims from `at` on want more devices of a kind than are free, or more of all counters than is
       // left
    // of them, by shares.
    [[nodiscard]] bool has_enough(std::size_t at) const {
        Amounts free(node_.kinds.size(), 0);
        for (std::size_t type = 0; type < types_.size(); ++type) {
            for (std::uint32_t kind = 0; kind < free.size() && is_free(type); ++kind) {
                free[kind] += takes(types_[type], kind) ? left_[type] : 0;
            }
        }
        for (std::size_t kind = 0; kind < free.size(); ++kind) {
            if (wanted_[at][kind] > free[kind]) {
                return false;
            }
        }
        std::int64_t left = 0;
        for (std::size_t counter = 0; counter < counters_.size() && least_shares_[at] > 0; ++counter) {
            const std::int64_t all = std::max<std::int64_t>(1, node_.counters[counter]);
            left += share_up(std::max<std::int64_t>(0, counters_[counter]), all);
        }
        return least_shares_[at] <= left;
    }

    // At least, by the shares of all counters that its devices take.
    [[nodiscard]] std::int64_t least_share(const Claim& claim) const {
        std::int64_t share = 0;
        for (const auto& request : claim.requests) {
            std::int64_t least = std::numeric_limits<std::int64_t>::max();
            for (const Choice& choice : request) {
                for (const Type& type : types_) {
                    if (takes(type, choice.kind)) {
                        least = std::min(least, choice.wants_all ? 0 : choice.count * taken_share(type, node_));
                    }
                }
            }
            share += least == std::numeric_limits<std::int64_t>::max() ? 0 : least;
        }
        return share;
    }
    bool place_request(Placing& placing, std::size_t request) {
        if (request == placing.claim.requests.size()) {
            return place(placing.at + 1);
        }
        return std::ranges::any_of(placing.claim.requests[request], [&](const Choice& choice) {
            return !is_cut_ &&
                   (choice.wants_all ? place_all(placing, request, choice)
                                     : place_devices(placing, request, choice, choice.count, types_for(choice)));
        });
    }

    // Types that still have a device for this choice, those first that leave most for others.
    [[nodiscard]] std::vector<std::size_t> types_for(const Choice& choice) {
        std::vector<std::pair<std::size_t, std::size_t>> found;  // How many others it blocks, and its number.
        for (const Part& part : parts_) {
            for (const std::size_t type : part.types) {
                if (takes(types_[type], choice.kind) && is_free(type)) {
                    found.emplace_back(blocked_by(type, part), type);
                }
            }
        }
        std::ranges::sort(found);
        std::vector<std::size_t> types;
        for (const auto& [blocked, type] : found) {
            types.push_back(type);
        }
        return types;
    }

    [[nodiscard]] bool is_free(std::size_t type) const {
        const auto has = [&](const auto& counter) { return counters_[counter.first] >= counter.second; };
        return left_[type] > 0 && std::ranges::all_of(types_[type].item.counters, has);
    }

    [[nodiscard]] std::size_t blocked_by(std::size_t type, const Part& part) {
        const auto& own = types_[type].item.counters;
        if (own.empty()) {
            return 0;
        }
        const auto count_free = [&] {
            return static_cast<std::size_t>(
                std::ranges::count_if(part.types, [&](std::size_t other) { return is_free(other); }));
        };
        steps_ += part.types.size() / 8;
        const std::size_t before = count_free();
        shift(own, -1);
        const std::size_t after = count_free();
        shift(own, 1);
        return before - after;
    }

    // `count` devices of types from `from` on: which of a request's devices comes first makes no difference.
    bool place_devices(Placing& placing, std::size_t request, const Choice& choice, std::int64_t count,
                       std::span<const std::size_t> types) {
        if (count == 0) {
            return place_request(placing, request + 1);
        }
        for (std::size_t i = 0; i < types.size() && step(); ++i) {
            if (!take(placing, choice, types[i])) {
                continue;
            }
            if (place_devices(placing, request, choice, count - 1, types.subspan(i))) {
                return true;
            }
            give_back(placing, choice, types[i]);
        }
        return false;
    }

    // Every device of the kind, if all are free.
    bool place_all(Placing& placing, std::size_t request, const Choice& choice) {
        if (choice.kind == no_kind || (((taken_ | node_.never_all) >> choice.kind) & 1U) != 0) {
            return false;
        }
        std::vector<std::size_t> had;
        bool has_all = true;
        for (std::size_t type = 0; type < types_.size() && has_all; ++type) {
            for (std::int64_t i = 0; i < types_[type].count && has_all && takes(types_[type], choice.kind); ++i) {
                has_all = step() && take(placing, choice, type);
                if (has_all) {
                    had.push_back(type);
                }
            }
        }
        if (has_all && !had.empty() && place_request(placing, request + 1)) {
            return true;
        }
        while (!had.empty()) {
            give_back(placing, choice, had.back());
            had.pop_back();
        }
        return false;
    }

    // False, and nothing is taken, if none is left or a rule or a counter forbids it.
    bool take(Placing& placing, const Choice& choice, std::size_t type) {
        const NodeDevices::Item& item = types_[type].item;
        const auto breaks = [&](std::uint32_t rule) { return breaks_rule(placing, rule, item); };
        if (!is_free(type) || std::ranges::any_of(choice.rules, breaks)) {
            return false;
        }
        --left_[type];
        shift(item.counters, -1);
        for (const std::uint32_t rule : choice.rules) {
            placing.values[rule].push_back(&item.values[placing.claim.rules[rule].attribute]);
        }
        return true;
    }

    void give_back(Placing& placing, const Choice& choice, std::size_t type) {
        ++left_[type];
        shift(types_[type].item.counters, 1);
        for (const std::uint32_t rule : choice.rules) {
            placing.values[rule].pop_back();
        }
    }

    void shift(const std::vector<std::pair<std::uint32_t, std::int64_t>>& counters, std::int64_t sign) {
        for (const auto& [counter, amount] : counters) {
            counters_[counter] += sign * amount;
        }
    }

    static bool breaks_rule(const Placing& placing, std::uint32_t number, const NodeDevices::Item& item) {
        const Rule& rule = placing.claim.rules[number];
        if (rule.attribute >= item.values.size() || item.values[rule.attribute].empty()) {
            return true;
        }
        const auto& before = placing.values[number];
        const auto is_equal = [&](const std::string* value) { return *value == item.values[rule.attribute]; };
        return rule.is_distinct ? std::ranges::any_of(before, is_equal) : !before.empty() && !is_equal(before.front());
    }

    const NodeDevices& node_;
    const std::vector<Type>& types_;
    const std::vector<Part>& parts_;
    Amounts counters_;
    std::uint64_t taken_ = 0;
    Amounts left_;  // [type]
    std::vector<const Claim*> claims_;
    std::vector<std::int64_t> least_shares_;  // [claim] Of it and all later ones.
    std::vector<Amounts> wanted_;             // [claim][kind] The same: devices that requests without a choice want.
    std::map<std::uint32_t, std::int64_t> plain_;  // By kind: devices of claims that depend on nothing else.
    std::set<std::pair<std::size_t, std::vector<std::pair<std::size_t, Amounts>>>> failed_;
    std::uint64_t steps_ = 0;
    bool is_cut_ = false;
};

}  // namespace

bool takes(const Type& type, std::uint32_t kind) {
    return kind != no_kind && ((type.item.takers >> kind) & 1U) != 0;
}

std::int64_t taken_share(const Type& type, const NodeDevices& node) {
    std::int64_t share = 0;
    for (const auto& [counter, amount] : type.item.counters) {
        share += share_down(amount, std::max<std::int64_t>(1, node.counters[counter]));
    }
    return share;
}

Feasibility search_claims(const DeviceState& state, const CountedClaims& claims, Operations& work) {
    ClaimSearch search(state, claims);
    const Feasibility fit = search.run();
    work += search.work() + 16 * claims.size();
    return fit;
}

}  // namespace echelon::solver

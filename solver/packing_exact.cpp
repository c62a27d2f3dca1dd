// Every packing that differs: one lot after another, its pods spread over nodes in all ways, equal nodes alike.

#include "solver/hash.hpp"
#include "solver/packing.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace echelon::solver {
namespace {

// The most steps that one set of lots may cost.
constexpr std::uint64_t most_steps = 20'000;

class Exact {
public:
    Exact(const Scopes& scopes, PackRoom room, std::span<const Lot> lots, Steps& steps)
        : room_(std::move(room)), lots_(lots), steps_(steps) {
        order_.resize(lots.size());
        std::iota(order_.begin(), order_.end(), 0U);
        allowed_.resize(lots.size());
        for (std::size_t i = 0; i < room_.size(); ++i) {
            masks_.push_back(room_.surroundings(i));
        }
        std::vector<std::int64_t> slots(lots.size(), 0);
        for (std::size_t l = 0; l < lots.size(); ++l) {
            for (std::uint32_t i = 0; i < room_.size(); ++i) {
                const std::int64_t here = room_.slots(lots[l].size, i);
                if (here > 0 && scopes.holds(lots[l].scope, room_.node(i))) {
                    allowed_[l].push_back(i);
                    masks_[i] += mix(l + 1);
                    slots[l] += here;
                }
            }
        }
        std::ranges::stable_sort(order_, {}, [&](std::uint32_t l) { return slots[l]; });
    }

    Verdict run() {
        if (place_lot(0)) {
            return is_cut_ ? Verdict::unknown : Verdict::fits;
        }
        return is_cut_ ? Verdict::unknown : Verdict::proved_not_to_fit;
    }
    std::vector<Placement> take_placements() { return std::move(placements_); }

private:
    // One lot being spread: its nodes by state, and how far it has come.
    struct Spreading {
        std::uint32_t lot = 0;
        std::vector<std::uint32_t> nodes;   // Equal states side by side, tight ones first.
        std::vector<std::uint64_t> states;  // When the lot began, per entry of `nodes`.
        std::vector<std::int64_t> after;    // Slots from an entry on.
    };

    std::uint64_t state_of(std::uint32_t i) const {
        std::uint64_t hash = masks_[i] ^ room_.company(i);
        for (const std::int64_t amount : room_.room_of(i)) {
            hash = mix(hash ^ static_cast<std::uint64_t>(amount));
        }
        return hash;
    }

    bool spend(std::uint64_t steps) {
        spent_ += steps;
        is_cut_ = is_cut_ || !steps_.spend(steps) || spent_ > most_steps;
        return !is_cut_;
    }

    // True ends the search: all is placed, or the budget is used up.
    bool place_lot(std::size_t position) {
        if (position == order_.size()) {
            return true;
        }
        if (!spend(1 + room_.size() * (order_.size() - position) / 64)) {
            return true;
        }
        std::uint64_t hash = mix(position + 1);
        for (std::uint32_t i = 0; i < room_.size(); ++i) {
            hash += state_of(i);
        }
        if (failed_.contains(hash)) {
            return false;
        }
        if (rest_may_fit(position)) {
            Spreading spreading = begin(order_[position]);
            if (place_pods(position, spreading, 0, lots_[order_[position]].count)) {
                return true;
            }
        }
        failed_.insert(hash);
        return false;
    }

    // Counting alone: the lots still to come, those of one size and the same nodes together.
    bool rest_may_fit(std::size_t position) const {
        for (std::size_t p = position; p < order_.size(); ++p) {
            const Lot& lot = lots_[order_[p]];
            std::int64_t count = 0;
            for (std::size_t q = position; q < order_.size(); ++q) {
                const Lot& other = lots_[order_[q]];
                count += other.size == lot.size && other.scope == lot.scope ? other.count : 0;
            }
            std::int64_t slots = 0;
            for (const std::uint32_t i : allowed_[order_[p]]) {
                slots += room_.slots(lot.size, i);
            }
            if (slots < count) {
                return false;
            }
        }
        return true;
    }

    Spreading begin(std::uint32_t lot) const {
        Spreading s{.lot = lot, .nodes = allowed_[lot], .states = {}, .after = {}};
        std::vector<std::uint64_t> states(room_.size());
        for (const std::uint32_t i : s.nodes) {
            states[i] = state_of(i);
        }
        const std::int64_t need = room_.scarce_need(lots_[lot].size);
        const auto waste = [&](std::uint32_t i) {
            return room_.scarce(i) - std::min(room_.slots(lots_[lot].size, i), lots_[lot].count) * need;
        };
        std::ranges::sort(s.nodes, [&](std::uint32_t a, std::uint32_t b) {
            const std::int64_t waste_a = waste(a);
            const std::int64_t waste_b = waste(b);
            if (waste_a != waste_b) {
                return waste_a < waste_b;
            }
            return states[a] != states[b] ? states[a] < states[b] : a < b;
        });
        s.after.assign(s.nodes.size() + 1, 0);
        for (std::size_t k = s.nodes.size(); k-- > 0;) {
            s.after[k] = s.after[k + 1] + room_.slots(lots_[lot].size, s.nodes[k]);
        }
        for (const std::uint32_t i : s.nodes) {
            s.states.push_back(states[i]);
        }
        return s;
    }

    // Chooses the next node that takes some; of equal nodes an earlier one never takes less than a later one.
    bool place_pods(std::size_t position, Spreading& s, std::size_t from, std::int64_t left) {
        if (left == 0) {
            return place_lot(position + 1);
        }
        const std::uint32_t size = lots_[s.lot].size;
        for (std::size_t k = from; k < s.nodes.size() && s.after[k] >= left; ++k) {
            if (!spend(1)) {
                return true;
            }
            std::int64_t most = std::min(left, room_.slots(size, s.nodes[k]));
            if (k > 0 && s.states[k - 1] == s.states[k]) {
                const bool follows = !placements_.empty() && placements_.back().lot == s.lot &&
                                     placements_.back().node == room_.node(s.nodes[k - 1]);
                most = follows ? std::min(most, placements_.back().count) : 0;
            }
            for (std::int64_t count = most; count > 0; --count) {
                room_.take(size, s.nodes[k], count);
                placements_.push_back({.lot = s.lot, .node = room_.node(s.nodes[k]), .count = count});
                if (place_pods(position, s, k + 1, left - count)) {
                    return true;
                }
                placements_.pop_back();
                room_.take(size, s.nodes[k], -count);
            }
        }
        return false;
    }

    PackRoom room_;
    std::span<const Lot> lots_;
    Steps& steps_;
    std::vector<std::uint32_t> order_;                 // Of lots, most constrained first.
    std::vector<std::vector<std::uint32_t>> allowed_;  // [lot] nodes of its scope that had slots.
    std::vector<std::uint64_t> masks_;                 // [node] which lots may use it.
    std::vector<Placement> placements_;
    std::unordered_set<std::uint64_t> failed_;
    std::uint64_t spent_ = 0;
    bool is_cut_ = false;
};

}  // namespace

Packed pack_exactly(const Scopes& scopes, PackRoom room, std::span<const Lot> lots, Steps& steps) {
    Exact exact(scopes, std::move(room), lots, steps);
    Packed packed;
    packed.verdict = exact.run();
    if (packed.verdict == Verdict::fits) {
        packed.placements = exact.take_placements();
    }
    return packed;
}

}  // namespace echelon::solver

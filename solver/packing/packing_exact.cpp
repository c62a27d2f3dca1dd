// Every packing that differs: one lot after another, its pods spread over nodes in all ways, equal nodes alike.

#include "solver/packing/hash.hpp"
#include "solver/packing/packing.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace echelon::solver {
namespace {

// The most steps that one set of lots may cost.
constexpr std::uint64_t most_steps = 20'000;

class Exact {
public:
    Exact(const Scopes& scopes, PackingCapacity room, std::span<const PodBatch> lots, SearchBudget& steps)
        : room_(std::move(room)), lots_(lots), steps_(steps), uses_(room_.size()), begun_(steps.used()) {
        order_.resize(lots.size());
        std::iota(order_.begin(), order_.end(), 0U);
        for (std::size_t i = 0; i < room_.size(); ++i) {
            masks_.push_back(room_.surroundings(i));
        }
        list_kinds(scopes);
        slots_.resize(room_.size() * sizes_.size());
        states_.resize(room_.size());
        for (std::uint32_t i = 0; i < room_.size(); ++i) {
            refresh(i);
        }
        std::ranges::stable_sort(order_, {}, [&](std::uint32_t l) { return kinds_[kind_of_[l]].slots; });
        steps_.work(lots.size() * 32);
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

    // Lots of one size that may use the same nodes.
    struct Kind {
        std::uint32_t size = 0;  // Into `sizes_`.
        ScopeId scope = everywhere;
        std::vector<std::uint32_t> nodes;  // That had slots.
        std::int64_t slots = 0;            // On them, now.
        std::int64_t left = 0;             // Pods still to come.
    };

    void list_kinds(const Scopes& scopes) {
        for (std::size_t l = 0; l < lots_.size(); ++l) {
            const auto size = std::ranges::find(sizes_, lots_[l].size) - sizes_.begin();
            if (size == std::ssize(sizes_)) {
                sizes_.push_back(lots_[l].size);
            }
            const auto same = std::ranges::find_if(kinds_, [&](const Kind& kind) {
                return kind.size == static_cast<std::uint32_t>(size) && kind.scope == lots_[l].scope;
            });
            kind_of_.push_back(static_cast<std::uint32_t>(same - kinds_.begin()));
            if (same == kinds_.end()) {
                kinds_.push_back({.size = static_cast<std::uint32_t>(size), .scope = lots_[l].scope, .nodes = {}});
                list_nodes(scopes, lots_[l].size, kinds_.back());
            }
            Kind& kind = kinds_[kind_of_.back()];
            kind.left += lots_[l].count;
            for (const std::uint32_t i : kind.nodes) {
                masks_[i] += mix(l + 1);
            }
            steps_.work(kinds_.size() + kind.nodes.size());
        }
        for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
            for (const std::uint32_t i : kinds_[k].nodes) {
                uses_[i].push_back(k);
            }
        }
    }

    void list_nodes(const Scopes& scopes, std::uint32_t size, Kind& kind) {
        for (std::uint32_t i = 0; i < room_.size(); ++i) {
            if (room_.slots(size, i) > 0 && scopes.holds(kind.scope, room_.node(i))) {
                kind.nodes.push_back(i);
            }
        }
        steps_.work(room_.size() * (8 + room_.resource_count()));
    }

    std::uint64_t state_of(std::uint32_t i) const {
        std::uint64_t hash = masks_[i] ^ room_.company(i);
        for (const std::int64_t amount : room_.room_of(i)) {
            hash = mix(hash ^ static_cast<std::uint64_t>(amount));
        }
        return hash;
    }

    std::int64_t& slots(std::uint32_t size, std::uint32_t i) { return slots_[i * sizes_.size() + size]; }

    // After the room of a node has changed.
    void refresh(std::uint32_t i) {
        for (const std::uint32_t k : uses_[i]) {
            kinds_[k].slots -= slots(kinds_[k].size, i);
        }
        for (std::uint32_t size = 0; size < sizes_.size(); ++size) {
            slots(size, i) = room_.slots(sizes_[size], i);
        }
        for (const std::uint32_t k : uses_[i]) {
            kinds_[k].slots += slots(kinds_[k].size, i);
        }
        state_ -= states_[i];
        states_[i] = state_of(i);
        state_ += states_[i];
        steps_.work(uses_[i].size() * 2 + (2 + room_.resource_count()) * sizes_.size() + 4 * room_.resource_count());
    }

    void take(std::uint32_t size, std::uint32_t i, std::int64_t count) {
        room_.take(size, i, count);
        if (!room_.relations().are_wide()) {
            return refresh(i);
        }
        for (std::uint32_t other = 0; other < room_.size(); ++other) {  // Its rivals are kept out of all those.
            refresh(other);
        }
    }

    bool spend(std::uint64_t steps) {
        is_cut_ = is_cut_ || !steps_.spend(steps) || steps_.used() - begun_ > most_steps;
        return !is_cut_;
    }

    // True ends the search: all is placed, or the budget is used up.
    bool place_lot(std::size_t position) {
        if (position == order_.size()) {
            return true;
        }
        if (!spend(1)) {
            return true;
        }
        const std::uint64_t state = mix(position + 1) + state_;
        if (failed_.contains(state)) {
            return false;
        }
        if (rest_may_fit(position)) {
            const std::uint32_t lot = order_[position];
            Spreading spreading = begin(lot);
            kinds_[kind_of_[lot]].left -= lots_[lot].count;
            if (place_pods(position, spreading, 0, lots_[lot].count)) {
                return true;
            }
            kinds_[kind_of_[lot]].left += lots_[lot].count;
        }
        failed_.insert(state);
        return false;
    }

    // Counting alone: the lots still to come, those of one size and the same nodes together.
    bool rest_may_fit(std::size_t position) {
        steps_.work(2 * (order_.size() - position));
        for (std::size_t p = position; p < order_.size(); ++p) {
            const Kind& kind = kinds_[kind_of_[order_[p]]];
            if (kind.slots < kind.left) {
                return false;
            }
        }
        return true;
    }

    Spreading begin(std::uint32_t lot) {
        const Kind& kind = kinds_[kind_of_[lot]];
        Spreading s{.lot = lot, .nodes = {}, .states = {}, .after = {}};
        for (const std::uint32_t i : kind.nodes) {
            if (slots(kind.size, i) > 0) {
                s.nodes.push_back(i);
            }
        }
        steps_.work(kind.nodes.size() + s.nodes.size() * 24);
        const std::int64_t need = room_.scarce_need(lots_[lot].size);
        const auto waste = [&](std::uint32_t i) {
            return room_.scarce(i) - std::min(slots(kind.size, i), lots_[lot].count) * need;
        };
        std::ranges::sort(s.nodes, [&](std::uint32_t a, std::uint32_t b) {
            const std::int64_t waste_a = waste(a);
            const std::int64_t waste_b = waste(b);
            if (waste_a != waste_b) {
                return waste_a < waste_b;
            }
            return states_[a] != states_[b] ? states_[a] < states_[b] : a < b;
        });
        s.after.assign(s.nodes.size() + 1, 0);
        for (std::size_t k = s.nodes.size(); k-- > 0;) {
            s.after[k] = s.after[k + 1] + slots(kind.size, s.nodes[k]);
        }
        for (const std::uint32_t i : s.nodes) {
            s.states.push_back(states_[i]);
        }
        return s;
    }

    // Chooses the next node that takes some; of equal nodes an earlier one never takes less than a later one.
    bool place_pods(std::size_t position, Spreading& s, std::size_t from, std::int64_t left) {
        if (left == 0) {
            return place_lot(position + 1);
        }
        const std::uint32_t kind = kinds_[kind_of_[s.lot]].size;
        const std::uint32_t size = lots_[s.lot].size;
        for (std::size_t k = from; k < s.nodes.size() && s.after[k] >= left; ++k) {
            if (!spend(1)) {
                return true;
            }
            std::int64_t most = std::min(left, slots(kind, s.nodes[k]));
            if (k > 0 && s.states[k - 1] == s.states[k]) {
                const bool follows = !placements_.empty() && placements_.back().lot == s.lot &&
                                     placements_.back().node == room_.node(s.nodes[k - 1]);
                most = follows ? std::min(most, placements_.back().count) : 0;
            }
            for (std::int64_t count = most; count > 0; --count) {
                take(size, s.nodes[k], count);
                placements_.push_back({.lot = s.lot, .node = room_.node(s.nodes[k]), .count = count});
                if (place_pods(position, s, k + 1, left - count)) {
                    return true;
                }
                placements_.pop_back();
                take(size, s.nodes[k], -count);
            }
        }
        return false;
    }

    PackingCapacity room_;
    std::span<const PodBatch> lots_;
    SearchBudget& steps_;
    std::vector<std::uint32_t> order_;  // Of lots, most constrained first.
    std::vector<std::uint32_t> sizes_;  // Of the lots.
    std::vector<Kind> kinds_;
    std::vector<std::uint32_t> kind_of_;            // [lot]
    std::vector<std::vector<std::uint32_t>> uses_;  // [node] kinds that may use it.
    std::vector<std::uint64_t> masks_;              // [node] which lots may use it.
    std::vector<std::int64_t> slots_;               // [node * sizes + size] now.
    std::vector<std::uint64_t> states_;             // [node] now.
    std::uint64_t state_ = 0;                       // Their sum.
    std::vector<Placement> placements_;
    std::unordered_set<std::uint64_t> failed_;
    std::uint64_t begun_;  // Steps that were used before.
    bool is_cut_ = false;
};

}  // namespace

Packed pack_exactly(const Scopes& scopes, PackingCapacity room, std::span<const PodBatch> lots, SearchBudget& steps) {
    Exact exact(scopes, std::move(room), lots, steps);
    Packed packed;
    packed.verdict = exact.run();
    if (packed.verdict == Verdict::fits) {
        packed.placements = exact.take_placements();
    }
    return packed;
}

}  // namespace echelon::solver

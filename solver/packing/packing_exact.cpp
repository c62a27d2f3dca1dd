// Tries every packing: one batch after another, its pods spread over nodes in all ways. Equal nodes are
// interchangeable, and tried once.

#include "solver/packing/hash.hpp"
#include "solver/packing/packing.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_set>
#include <utility>

namespace echelon::solver {
namespace {

// The most steps that one set of batches may cost.
constexpr std::uint64_t most_steps = 20'000;

class Exact {
public:
    Exact(const Scopes& scopes, PackingCapacity room, std::span<const PodBatch> batches, SearchBudget& budget)
        : room_(std::move(room)),
          batches_(batches),
          budget_(budget),
          kinds_on_(room_.size()),
          steps_before_(budget.used()) {
        order_.resize(batches.size());
        std::iota(order_.begin(), order_.end(), 0U);
        for (std::size_t i = 0; i < room_.size(); ++i) {
            batch_hashes_.push_back(room_.topology_key_hash(i));
        }
        list_kinds(scopes);
        list_values();
        slots_.resize(room_.size() * classes_.size());
        states_.resize(room_.size());
        for (std::uint32_t i = 0; i < room_.size(); ++i) {
            refresh(i);
        }
        std::ranges::stable_sort(order_, {}, [&](std::uint32_t l) { return kinds_[kind_of_[l]].slots; });
        budget_.charge(batches.size() * 32);
    }

    Feasibility run() {
        if (place_batch(0)) {
            return is_cut_ ? Feasibility::unknown : Feasibility::fits;
        }
        return is_cut_ ? Feasibility::unknown : Feasibility::proved_not_to_fit;
    }
    std::vector<Placement> take_placements() { return std::move(placements_); }

private:
    // One batch that is being spread over its nodes.
    struct Spreading {
        std::uint32_t batch = 0;
        std::vector<std::uint32_t> nodes;   // Tight ones first, equal states side by side.
        std::vector<std::uint64_t> states;  // When the batch began, per entry of `nodes`.
        std::vector<std::int64_t> after;    // [entry] Slots of it and all later ones.
    };

    // Batches of one class that may use the same nodes.
    struct Kind {
        std::uint32_t member_class = 0;  // Into `classes_`.
        ScopeId scope = everywhere;
        std::vector<std::uint32_t> nodes;  // Those that had slots at the start.
        std::int64_t slots = 0;            // On them, now.
        std::int64_t left = 0;             // Pods still to come.
    };

    void list_kinds(const Scopes& scopes) {
        for (std::size_t l = 0; l < batches_.size(); ++l) {
            const auto member_class = std::ranges::find(classes_, batches_[l].member_class) - classes_.begin();
            if (member_class == std::ssize(classes_)) {
                classes_.push_back(batches_[l].member_class);
            }
            const auto same = std::ranges::find_if(kinds_, [&](const Kind& kind) {
                return kind.member_class == static_cast<std::uint32_t>(member_class) && kind.scope == batches_[l].scope;
            });
            kind_of_.push_back(static_cast<std::uint32_t>(same - kinds_.begin()));
            if (same == kinds_.end()) {
                kinds_.push_back({.member_class = static_cast<std::uint32_t>(member_class),
                                  .scope = batches_[l].scope,
                                  .nodes = {}});
                list_nodes(scopes, batches_[l].member_class, kinds_.back());
            }
            Kind& kind = kinds_[kind_of_.back()];
            kind.left += batches_[l].count;
            for (const std::uint32_t i : kind.nodes) {
                batch_hashes_[i] += mix(l + 1);
            }
            budget_.charge(kinds_.size() + kind.nodes.size());
        }
        for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
            for (const std::uint32_t i : kinds_[k].nodes) {
                kinds_on_[i].push_back(k);
            }
        }
    }

    void list_nodes(const Scopes& scopes, std::uint32_t member_class, Kind& kind) {
        for (std::uint32_t i = 0; i < room_.size(); ++i) {
            if (room_.slots(member_class, i) > 0 && scopes.holds(kind.scope, room_.node(i))) {
                kind.nodes.push_back(i);
            }
        }
        budget_.charge(room_.size() * (8 + room_.resource_count()));
    }

    // Nodes by label value. Only wide topology keys matter: elsewhere no two nodes share a value.
    void list_values() {
        const MemberConflicts& conflicts = room_.conflicts();
        for (std::uint32_t i = 0; i < room_.size(); ++i) {
            for (const std::uint32_t topology_key : conflicts.wide()) {
                if (const std::uint32_t number = conflicts.number(topology_key, room_.node(i));
                    number != model::nowhere) {
                    nodes_at_[{topology_key, number}].push_back(i);
                }
            }
        }
        budget_.charge(room_.size() * conflicts.wide().size() * 16);
    }

    std::uint64_t state_of(std::uint32_t i) const {
        std::uint64_t hash = batch_hashes_[i] ^ room_.conflict_hash(i) ^ room_.inner_hash(i);
        for (const std::int64_t amount : room_.room_of(i)) {
            hash = mix(hash ^ static_cast<std::uint64_t>(amount));
        }
        return hash;
    }

    std::int64_t& slots(std::uint32_t member_class, std::uint32_t i) {
        return slots_[i * classes_.size() + member_class];
    }

    // Call after the room of a node has changed.
    void refresh(std::uint32_t i) {
        for (const std::uint32_t k : kinds_on_[i]) {
            kinds_[k].slots -= slots(kinds_[k].member_class, i);
        }
        for (std::uint32_t member_class = 0; member_class < classes_.size(); ++member_class) {
            slots(member_class, i) = room_.slots(classes_[member_class], i);
        }
        for (const std::uint32_t k : kinds_on_[i]) {
            kinds_[k].slots += slots(kinds_[k].member_class, i);
        }
        state_ -= states_[i];
        states_[i] = state_of(i);
        state_ += states_[i];
        const MemberConflicts& conflicts = room_.conflicts();
        budget_.charge(kinds_on_[i].size() * 2 +
                       (2 + room_.resource_count() + 16 * conflicts.topology_keys().size()) * classes_.size() +
                       4 * room_.resource_count() + 4 * conflicts.row_count() + room_.inside().take_work());
    }

    void take(std::uint32_t member_class, std::uint32_t i, std::int64_t count) {
        const MemberConflicts& conflicts = room_.conflicts();
        const std::span<const MemberConflicts::Conflict> own = conflicts.conflicts_of(member_class);
        room_.take(member_class, i, count);
        budget_.charge(own.size());
        refresh(i);
        for (const std::uint32_t topology_key :
             conflicts.wide()) {  // Pods that conflict are kept out of all its nodes.
            const auto first =
                std::ranges::lower_bound(own, topology_key, {}, &MemberConflicts::Conflict::topology_key);
            const auto at = nodes_at_.find({topology_key, conflicts.number(topology_key, room_.node(i))});
            if (at == nodes_at_.end() || first == own.end() || first->topology_key != topology_key) {
                continue;
            }
            for (const std::uint32_t other : at->second) {
                if (other != i) {
                    refresh(other);
                }
            }
        }
    }

    bool spend(std::uint64_t steps) {
        is_cut_ = is_cut_ || !budget_.spend(steps) || budget_.used() - steps_before_ > most_steps;
        return !is_cut_;
    }

    // True ends the search: all pods are placed, or the budget is used up.
    bool place_batch(std::size_t position) {
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
            const std::uint32_t batch = order_[position];
            Spreading spreading = begin(batch);
            kinds_[kind_of_[batch]].left -= batches_[batch].count;
            if (place_pods(position, spreading, 0, batches_[batch].count)) {
                return true;
            }
            kinds_[kind_of_[batch]].left += batches_[batch].count;
        }
        failed_.insert(state);
        return false;
    }

    // False if counting proves that the remaining batches don't fit, those of one kind together.
    bool rest_may_fit(std::size_t position) {
        budget_.charge(2 * (order_.size() - position));
        for (std::size_t p = position; p < order_.size(); ++p) {
            const Kind& kind = kinds_[kind_of_[order_[p]]];
            if (kind.slots < kind.left) {
                return false;
            }
        }
        return true;
    }

    Spreading begin(std::uint32_t batch) {
        const Kind& kind = kinds_[kind_of_[batch]];
        Spreading s{.batch = batch, .nodes = {}, .states = {}, .after = {}};
        for (const std::uint32_t i : kind.nodes) {
            if (slots(kind.member_class, i) > 0) {
                s.nodes.push_back(i);
            }
        }
        budget_.charge(kind.nodes.size() + s.nodes.size() * 24);
        const std::int64_t need = room_.scarce_need(batches_[batch].member_class);
        const auto waste = [&](std::uint32_t i) {
            return room_.scarce(i) - std::min(slots(kind.member_class, i), batches_[batch].count) * need;
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
            s.after[k] = s.after[k + 1] + slots(kind.member_class, s.nodes[k]);
        }
        for (const std::uint32_t i : s.nodes) {
            s.states.push_back(states_[i]);
        }
        return s;
    }

    // Chooses the next node that takes some; among equal nodes an earlier one takes at least as many.
    bool place_pods(std::size_t position, Spreading& s, std::size_t from, std::int64_t left) {
        if (left == 0) {
            return place_batch(position + 1);
        }
        const std::uint32_t kind = kinds_[kind_of_[s.batch]].member_class;
        const std::uint32_t member_class = batches_[s.batch].member_class;
        for (std::size_t k = from; k < s.nodes.size() && s.after[k] >= left; ++k) {
            if (!spend(1)) {
                return true;
            }
            std::int64_t most = std::min(left, slots(kind, s.nodes[k]));
            if (k > 0 && s.states[k - 1] == s.states[k]) {
                const bool follows = !placements_.empty() && placements_.back().batch == s.batch &&
                                     placements_.back().node == room_.node(s.nodes[k - 1]);
                most = follows ? std::min(most, placements_.back().count) : 0;
            }
            for (std::int64_t count = most; count > 0; --count) {
                take(member_class, s.nodes[k], count);
                placements_.push_back({.batch = s.batch, .node = room_.node(s.nodes[k]), .count = count});
                if (place_pods(position, s, k + 1, left - count)) {
                    return true;
                }
                placements_.pop_back();
                take(member_class, s.nodes[k], -count);
            }
        }
        return false;
    }

    PackingCapacity room_;
    std::span<const PodBatch> batches_;
    SearchBudget& budget_;
    std::vector<std::uint32_t> order_;    // Of batches, most constrained first.
    std::vector<std::uint32_t> classes_;  // Of the batches.
    std::vector<Kind> kinds_;
    std::vector<std::uint32_t> kind_of_;                // [batch]
    std::vector<std::vector<std::uint32_t>> kinds_on_;  // [node] kinds that may use it.
    // By topology key and number of the label value.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> nodes_at_;
    std::vector<std::uint64_t> batch_hashes_;  // [node] which batches may use it.
    std::vector<std::int64_t> slots_;          // [node * classes + class] now.
    std::vector<std::uint64_t> states_;        // [node] now.
    std::uint64_t state_ = 0;                  // Their sum.
    std::vector<Placement> placements_;
    std::unordered_set<std::uint64_t> failed_;
    std::uint64_t steps_before_;  // Steps used before this packing.
    bool is_cut_ = false;
};

}  // namespace

Packed pack_exactly(const Scopes& scopes, PackingCapacity room, std::span<const PodBatch> batches,
                    SearchBudget& budget) {
    Exact exact(scopes, std::move(room), batches, budget);
    Packed packed;
    packed.feasibility = exact.run();
    if (packed.feasibility == Feasibility::fits) {
        packed.placements = exact.take_placements();
    }
    return packed;
}

}  // namespace echelon::solver

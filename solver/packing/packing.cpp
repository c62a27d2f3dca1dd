#include "solver/packing/packing.hpp"

#include "solver/packing/spread.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace echelon::solver {
namespace {

using model::NodeId;

// A packing of more pods than this is only tried greedily.
constexpr std::int64_t most_pods_exactly = 1024;

// In which order greedy packing takes the batches, and which nodes it prefers.
struct Strategy {
    bool narrow_first = false;  // Small scopes before large pods; else large pods before small scopes.
    enum class Nodes : std::uint8_t { by_domain, tightest, least_waste } nodes = Nodes::by_domain;
};

constexpr Strategy strategies[] = {
    {.narrow_first = false, .nodes = Strategy::Nodes::by_domain},
    {.narrow_first = true, .nodes = Strategy::Nodes::by_domain},
    {.narrow_first = false, .nodes = Strategy::Nodes::tightest},
    {.narrow_first = false, .nodes = Strategy::Nodes::least_waste},
};

class Greedy {
public:
    Greedy(const model::Snapshot& snapshot, const Scopes& scopes, PackingCapacity room,
           std::span<const PodBatch> batches)
        : snapshot_(snapshot), scopes_(scopes), room_(std::move(room)), batches_(batches) {}

    bool pack(Strategy::Nodes preference, std::span<const std::uint32_t> order) {
        return std::ranges::all_of(order, [&](std::uint32_t batch) { return place(preference, batch); });
    }
    std::vector<Placement> take_placements() { return std::move(placements_); }
    [[nodiscard]] Operations work() const { return work_; }

private:
    bool place(Strategy::Nodes preference, std::uint32_t index) {
        const PodBatch& batch = batches_[index];
        std::vector<NodeShare> nodes;
        std::vector<std::size_t> locals;
        std::int64_t slots = 0;
        collect(batch, nodes, locals, slots);
        if (slots < batch.count) {
            return false;
        }
        if (preference == Strategy::Nodes::by_domain) {
            const auto& places = scopes_[batch.scope].places;
            const model::Tree& tree = snapshot_.trees[scopes_.tree_of(batch.scope)];
            const std::uint32_t depth = places.empty() ? 0 : places.front().level.depth;
            spread(tree, depth, batch.compact_depth, nodes, batch.count, room_.scarce_need(batch.member_class));
        } else {
            fill_flat(preference, batch, nodes);
        }
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (nodes[i].take > 0) {
                room_.take(batch.member_class, locals[i], nodes[i].take);
                work_ += room_.conflicts().conflicts_of(batch.member_class).size();
                placements_.push_back({.batch = index, .node = nodes[i].node, .count = nodes[i].take});
            }
        }
        return true;
    }

    // The nodes of the scope that have slots, in the order of the scope's tree.
    void collect(const PodBatch& batch, std::vector<NodeShare>& nodes, std::vector<std::size_t>& locals,
                 std::int64_t& slots) {
        const std::uint32_t tree = scopes_.tree_of(batch.scope);
        work_ += room_.size() * (4 + 2 * room_.resource_count() + 16 * room_.conflicts().topology_keys().size());
        std::set<std::pair<std::uint32_t, std::uint32_t>> places;
        for (std::size_t i = 0; i < room_.size(); ++i) {
            const NodeId node = room_.node(i);
            if (batch.scope != everywhere && !scopes_.holds(batch.scope, node)) {
                continue;
            }
            if (const std::int64_t here = std::min(room_.slots(batch.member_class, i), batch.count);
                here > 0 && is_first_of_its_place(batch.member_class, node, places)) {
                nodes.push_back({.node = node, .slots = here, .scarce = room_.scarce(i), .take = 0});
                locals.push_back(i);
                slots += here;
            }
        }
        work_ += nodes.size() * 48;  // They are sorted, and spread over.
        if (tree != 0) {
            sort_by_tree(tree, nodes, locals);
        }
    }

    // If pods of a class repel each other in a wide topology key, each label value takes one pod: only its first node
    // is listed.
    bool is_first_of_its_place(std::uint32_t member_class, NodeId node,
                               std::set<std::pair<std::uint32_t, std::uint32_t>>& places) const {
        const MemberConflicts& conflicts = room_.conflicts();
        const std::span<const std::uint32_t> topology_keys = conflicts.own_wide(member_class);
        const auto is_taken = [&](std::uint32_t topology_key) {
            const std::uint32_t number = conflicts.number(topology_key, node);
            return number != model::nowhere && places.contains({topology_key, number});
        };
        if (std::ranges::any_of(topology_keys, is_taken)) {
            return false;
        }
        for (const std::uint32_t topology_key : topology_keys) {
            places.emplace(topology_key, conflicts.number(topology_key, node));
        }
        return true;
    }

    void sort_by_tree(std::uint32_t tree, std::vector<NodeShare>& nodes, std::vector<std::size_t>& locals) {
        if (positions_.empty() || positions_tree_ != tree) {
            const auto& order = snapshot_.trees[tree].order;
            positions_.assign(snapshot_.node_count(), model::nowhere);
            for (std::uint32_t i = 0; i < order.size(); ++i) {
                positions_[order[i]] = i;
            }
            positions_tree_ = tree;
        }
        std::ranges::sort(nodes, {}, [&](const NodeShare& s) { return positions_[s.node]; });
        std::ranges::sort(locals, {}, [&](std::size_t i) { return positions_[room_.node(i)]; });
    }

    void fill_flat(Strategy::Nodes preference, const PodBatch& batch, std::vector<NodeShare>& nodes) const {
        const auto waste = [&](const NodeShare& s) {
            return preference == Strategy::Nodes::least_waste
                       ? s.scarce - s.slots * room_.scarce_need(batch.member_class)
                       : 0;
        };
        std::vector<std::size_t> order(nodes.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
            const std::int64_t waste_a = waste(nodes[a]);
            const std::int64_t waste_b = waste(nodes[b]);
            return waste_a != waste_b ? waste_a < waste_b : nodes[a].scarce < nodes[b].scarce;
        });
        std::int64_t left = batch.count;
        for (const std::size_t i : order) {
            nodes[i].take = std::min(nodes[i].slots, left);
            left -= nodes[i].take;
        }
    }

    const model::Snapshot& snapshot_;
    const Scopes& scopes_;
    PackingCapacity room_;
    std::span<const PodBatch> batches_;
    std::vector<Placement> placements_;
    std::vector<std::uint32_t> positions_;
    std::uint32_t positions_tree_ = 0;
    Operations work_ = 0;
};

}  // namespace

std::vector<NodeId> Packing::nodes_for(std::span<const PodBatch> batches) const {
    // The scope `everywhere` holds the nodes of all others.
    std::vector<NodeId> nodes;
    std::vector<ScopeId> scopes;
    for (const PodBatch& batch : batches) {
        scopes.push_back(batch.scope);
    }
    std::ranges::sort(scopes);
    scopes.erase(std::ranges::unique(scopes).begin(), scopes.end());
    if (scopes.front() == everywhere) {
        scopes = {everywhere};
    }
    for (const ScopeId scope : scopes) {
        const std::vector<NodeId> here = scopes_.nodes_of(scope);
        nodes.insert(nodes.end(), here.begin(), here.end());
    }
    std::ranges::sort(nodes);
    nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
    std::vector<std::uint32_t> classes;
    for (const PodBatch& batch : batches) {
        classes.push_back(batch.member_class);
    }
    std::ranges::sort(classes);
    classes.erase(std::ranges::unique(classes).begin(), classes.end());
    budget_.charge(nodes.size() * (8 + classes.size()) + batches.size() * 16);
    std::erase_if(nodes, [&](NodeId node) {
        return std::ranges::none_of(classes,
                                    [&](std::uint32_t member_class) { return bounds_.slots(member_class, node) > 0; });
    });
    return nodes;
}

Packed Packing::pack_part(std::span<const PodBatch> batches) {
    std::int64_t pods = 0;
    for (const PodBatch& batch : batches) {
        pods += batch.count;
    }
    PackingCapacity room(snapshot_, room_, demand_, nodes_for(batches));
    room.choose_scarce(batches);
    budget_.charge((room.size() + batches.size()) * 4 * room.resource_count());
    const std::uint64_t scan = 1 + room.size() * batches.size() / 64;
    const bool is_single_class = std::ranges::all_of(
        batches, [&](const PodBatch& batch) { return batch.member_class == batches.front().member_class; });
    std::vector<std::uint32_t> order(batches.size());
    for (const Strategy& strategy : strategies) {
        if (!budget_.spend(scan)) {
            return {};
        }
        if (is_single_class && !strategy.narrow_first) {
            continue;
        }
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, {}, [&](std::uint32_t i) {
            const std::int64_t breadth =
                bounds_.capacity(CapacityBounds::slots_bound(batches[i].member_class), batches[i].scope);
            const std::int64_t ease =
                bounds_.capacity(CapacityBounds::slots_bound(batches[i].member_class), everywhere);
            return strategy.narrow_first ? std::pair{breadth, ease} : std::pair{ease, breadth};
        });
        Greedy greedy(snapshot_, scopes_, room, batches);
        const bool is_packed = greedy.pack(strategy.nodes, order);
        budget_.charge(greedy.work() + bounds_.take_work() + demand_.inside.take_work() +
                       room.size() * room.resource_count() + batches.size() * 32);
        if (is_packed) {
            return {.feasibility = Feasibility::fits, .placements = greedy.take_placements()};
        }
    }
    if (pods > most_pods_exactly) {
        return {};
    }
    return pack_exactly(scopes_, std::move(room), batches, budget_);
}

// [batch] The first batch of the same part. Batches of two parts never compete for a node.
std::vector<std::uint32_t> Packing::parts_of(std::span<const PodBatch> batches) {
    std::vector<std::uint32_t> firsts;  // One batch of each scope.
    std::vector<std::uint32_t> part_of(batches.size());
    for (std::uint32_t i = 0; i < batches.size(); ++i) {
        const auto same =
            std::ranges::find(firsts, batches[i].scope, [&](std::uint32_t l) { return batches[l].scope; });
        part_of[i] = same == firsts.end() ? i : *same;
        if (same == firsts.end()) {
            firsts.push_back(i);
        }
    }
    const auto root_of = [&](std::uint32_t i) {
        while (part_of[i] != i) {
            i = part_of[i];
        }
        return i;
    };
    for (std::size_t one = 0; one < firsts.size(); ++one) {
        for (std::size_t two = 0; two < one; ++two) {
            const auto [lower, higher] = std::minmax({root_of(firsts[one]), root_of(firsts[two])});
            if (lower != higher && (demand_.conflicts.are_wide() ||
                                    scopes_.may_overlap(batches[firsts[one]].scope, batches[firsts[two]].scope))) {
                part_of[higher] = lower;
            }
        }
    }
    budget_.charge(firsts.size() * (firsts.size() * 8 + batches.size()));
    for (std::uint32_t i = 0; i < batches.size(); ++i) {
        part_of[i] = root_of(i);
    }
    return part_of;
}

Packed Packing::pack(std::span<const PodBatch> batches) {
    // Batches whose scopes don't overlap are independent.
    const std::vector<std::uint32_t> part_of = parts_of(batches);
    Packed answer{.feasibility = Feasibility::fits, .placements = {}};
    for (std::uint32_t root = 0; root < batches.size(); ++root) {
        std::vector<PodBatch> part;
        std::vector<std::uint32_t> indexes;
        for (std::uint32_t i = root; i < batches.size() && part_of[root] == root; ++i) {
            if (part_of[i] == root) {
                part.push_back(batches[i]);
                indexes.push_back(i);
            }
        }
        if (part.empty()) {
            continue;
        }
        Packed packed = pack_part(part);
        if (packed.feasibility != Feasibility::fits) {
            return {.feasibility = packed.feasibility, .placements = {}};
        }
        for (Placement placement : packed.placements) {
            placement.batch = indexes[placement.batch];
            answer.placements.push_back(placement);
        }
    }
    return answer;
}

}  // namespace echelon::solver

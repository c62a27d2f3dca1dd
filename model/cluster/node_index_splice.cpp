// Numbers a few nodes that came or went, while all others stay in their order.

#include "base/natural_order.hpp"
#include "model/cluster/node_index.hpp"

#include <algorithm>
#include <functional>
#include <ranges>
#include <span>
#include <utility>

namespace echelon::model {

namespace {

// Beyond this number, numbering all nodes anew takes about as long.
constexpr std::size_t most_spliced = 16;

// To copy everything costs about as much as that many moves of rows.
constexpr std::size_t most_moves = 8;

}  // namespace

NodeId NodeIndex::id_in(const Place& place) const {
    return place.row == nowhere ? nowhere : flat_.ids[place.row];
}

void NodeIndex::give_row(std::string_view name, Place& place) {
    if (free_rows_.empty()) {
        place.row = static_cast<std::uint32_t>(flat_.ids.size());
        flat_.ids.push_back(nowhere);
    } else {
        place.row = free_rows_.back();
        free_rows_.pop_back();
    }
    flat_.rows.insert(base::hash_of(name), place.row);
}

void NodeIndex::free_row(std::string_view name, const Place& place) {
    flat_.rows.take(base::hash_of(name), [&](std::uint32_t row) { return row == place.row; });
    free_rows_.push_back(place.row);
    if (const auto id = std::exchange(flat_.ids[place.row], nowhere); id != nowhere)
        gone_.push_back(id);
}

void NodeIndex::prune(Places::iterator place) {
    if (!place->second.is_known && place->second.usage.empty())
        places_.erase(place);
}

void NodeIndex::forget_order_of(Places::value_type& known) {
    if (std::erase(unordered_nodes_, &known) > 0)
        return;
    const auto name = [](const auto* place) { return std::string_view(place->first); };
    by_name_.erase(std::ranges::lower_bound(by_name_, known.first.str(), {}, name));
    in_natural_order_.erase(std::ranges::lower_bound(in_natural_order_, known.first, base::NaturalLess{}, name));
}

void NodeIndex::sort_nodes() {
    if (unordered_nodes_.empty())
        return;
    is_numbering_stale_ = true;  // They can't be spliced in any more.
    const auto name = [](const auto* place) { return std::string_view(place->first); };
    // Merges from the end, and compares few names if few are new.
    const auto take_in = [&](auto& list, const auto& order) {
        std::ranges::sort(unordered_nodes_, order, name);
        auto left = list.size();  // Those before this place aren't merged yet.
        list.resize(left + unordered_nodes_.size());
        auto out = list.end();
        for (auto* known : unordered_nodes_ | std::views::reverse) {
            const auto known_before = std::span(list).first(left);
            const auto at = std::ranges::upper_bound(known_before, name(known), order, name);
            out = std::move_backward(at, known_before.end(), out);
            *--out = known;
            left = static_cast<std::size_t>(at - known_before.begin());
        }
    };
    take_in(by_name_, std::less<std::string_view>{});
    take_in(in_natural_order_, base::NaturalLess{});
    unordered_nodes_.clear();
}

// True if the tree stays, whichever nodes come or go while its labels are there: it is of the best source, or has a
// level that no other tree lists.
bool NodeIndex::is_kept_by_labels(const Levels& levels) const {
    if (levels.source == declared_.front().source)
        return true;
    return std::any_of(levels.keys.begin(), levels.keys.end() - 1, [&](const std::string& key) {
        const auto lists = [&](const Levels& other) { return &other != &levels && other.lists(key); };
        return label_counts_.contains(key) && std::ranges::none_of(declared_, lists);
    });
}

// The levels of each tree, if labels alone place the nodes in all of them, and none depends on another; else empty.
std::vector<const Levels*> NodeIndex::levels_by_labels() const {
    const bool is_by_labels =
        forest_.empty() && flat_.left_out.empty() && of_several_.empty() && topologies_with_places().empty() &&
        !nodes_decide_levels(label_counts_) &&
        std::ranges::all_of(declared_, [this](const Levels& levels) { return is_kept_by_labels(levels); });
    std::vector<const Levels*> levels;
    for (const auto* each : {&declared_, &single_label_levels_}) {
        for (const auto& one : *each)
            levels.push_back(&one);
    }
    return is_by_labels && levels.size() == flat_.trees.size() ? levels : std::vector<const Levels*>{};
}

// False: all nodes have to be numbered anew.
bool NodeIndex::splice() {
    if (gone_.size() + unordered_nodes_.size() > most_spliced)
        return false;
    const auto levels = levels_by_labels();
    if (levels.empty())
        return false;
    std::ranges::sort(gone_, std::greater{});
    for (const auto id : std::exchange(gone_, {}))
        splice_out(id);
    for (auto* known : std::exchange(unordered_nodes_, {})) {
        const auto name = [](const auto* place) { return std::string_view(place->first); };
        by_name_.insert(std::ranges::lower_bound(by_name_, name(known), {}, name), known);
        in_natural_order_.insert(std::ranges::lower_bound(in_natural_order_, name(known), base::NaturalLess{}, name),
                                 known);
        splice_in(*known, levels);
    }
    write_all_parts();
    limit_topology_delta();
    return true;
}

void NodeIndex::move_rows(RowMove move) {
    apply(move, flat_);
    follow(move, flat_.ids);
    if (written_.is_all)
        return;
    for (auto* nodes : {&written_.nodes, &written_.hosts}) {
        if (!move.comes())
            std::erase(*nodes, move.id);
        follow(move, *nodes);
    }
    written_.moves.push_back(std::move(move));
    written_.is_all = written_.moves.size() > most_moves;
}

void NodeIndex::splice_out(NodeId id) {
    for (auto& tree : flat_.trees)
        remove_node(tree, id);
    move_rows({.id = id, .name = {}});
}

void NodeIndex::splice_in(Places::value_type& known, const std::vector<const Levels*>& levels) {
    const auto node = view_of(known);
    std::vector<TreeSpot> spots;
    for (std::size_t tree = 0; tree < levels.size(); ++tree) {
        const auto parts_of = [&](NodeId id) {
            return path_parts(*levels[tree], view_of(*places_.find(flat_.node_names[id])));
        };
        spots.push_back(spot_in(flat_.trees[tree], path_parts(*levels[tree], node), parts_of));
    }
    const NodeId id = spots.front().position;
    for (std::size_t tree = 0; tree < levels.size(); ++tree)
        insert_node(flat_.trees[tree], id, spots[tree]);
    move_rows({.id = id, .name = known.first});
    flat_.ids[known.second.row] = id;
    write_eligibility(node, id);
    write_room(known.second);
    topology_delta_.nodes.emplace_back(node.name());
}

}  // namespace echelon::model

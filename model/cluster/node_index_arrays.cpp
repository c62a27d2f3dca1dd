// Writes the arrays of the snapshot: single cells after an event, whole arrays if numbers or names changed.

#include "model/cluster/node_index.hpp"
#include "model/facts/eligibility.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace echelon::model {

namespace {

// How many resources that no node lists, host ports among them, have a row with one number per node. Pods that request
// another such resource fit on no node; other host ports are left to kube-scheduler.
constexpr std::size_t most_absent_resources = 256;

}  // namespace

std::vector<std::string_view> NodeIndex::names() const {
    std::vector<std::string_view> names;
    names.reserve(node_count_);
    for (const auto& [name, place] : places_) {
        if (place.is_known)
            names.emplace_back(name);
    }
    return names;
}

void NodeIndex::write_cells(const Place& place, const Amounts& requests) {
    const auto id = id_in(place);
    if (id == nowhere)
        return;
    note_written(written_.nodes, id);
    for (const auto& [name, amount] : requests.entries()) {
        const auto at = std::ranges::lower_bound(flat_.resources, name);
        if (at == flat_.resources.end() || *at != name)
            continue;
        const auto resource = static_cast<std::size_t>(at - flat_.resources.begin());
        flat_.room[resource][id] = place.usage.left_of(name, offered_by(place, name));
    }
}

std::vector<Amounts::Entry> NodeIndex::left_on(base::Hashed node, const Amounts& resources) const {
    std::vector<Amounts::Entry> left;
    const auto found = places_.find(node);
    if (found == places_.end() || !found->second.is_known)
        return left;
    const auto& place = found->second;
    left.reserve(resources.entries().size());
    for (const auto& [name, amount] : resources.entries())
        left.emplace_back(name, place.usage.left_of(name, offered_by(place, name)));
    return left;
}

bool NodeIndex::has_same_room(base::Hashed node, base::Hashed other) const {
    const auto one = places_.find(node);
    const auto two = places_.find(other);
    if (one == places_.end() || two == places_.end())
        return false;
    const auto& here = one->second;
    const auto& there = two->second;
    return here.is_known && there.is_known && here.allocatable == there.allocatable && here.usage == there.usage;
}

void NodeIndex::write_room(const Place& place) {
    const auto id = id_in(place);
    if (id == nowhere)
        return;
    note_written(written_.nodes, id);
    for (std::size_t resource = 0; resource < flat_.resources.size(); ++resource)
        write_room(place, id, resource);
}

void NodeIndex::write_room(const Place& place, NodeId id, std::size_t resource) {
    const auto& name = flat_.resources[resource];
    const auto offered = offered_by(place, name);
    flat_.capacity[resource][id] = bounded(offered);
    flat_.room[resource][id] = place.usage.left_of(name, offered);
}

template <typename Part>
void NodeIndex::set_part(const std::string& node, std::optional<Part> part, std::map<std::string, Part>& parts,
                         std::map<NodeId, Part>& flat) {
    const auto place = places_.find(node);
    const auto id = place == places_.end() ? nowhere : id_in(place->second);
    if (id != nowhere) {
        note_written(written_.nodes, id);
        if (part) {
            flat.insert_or_assign(id, *part);
        } else {
            flat.erase(id);
        }
    }
    if (part) {
        parts.insert_or_assign(node, std::move(*part));
    } else {
        parts.erase(node);
    }
}

// A level below the host exists while some node has zones (NU3).
void NodeIndex::set_zones(const std::string& node, std::optional<ZonedNode> zones) {
    const bool had_zones = has_zones();
    set_part(node, std::move(zones), zones_, flat_.zoned);
    topology_delta_.levels_changed = topology_delta_.levels_changed || had_zones != has_zones();
}

void NodeIndex::set_devices(const std::string& node, std::optional<MatchedNode> devices) {
    set_part(node, std::move(devices), devices_, flat_.matched);
}

void NodeIndex::write_all_parts() {
    const auto write = [this](const auto& parts, auto& flat) {
        flat.clear();
        for (const auto& [node, part] : parts) {
            const auto place = places_.find(node);
            if (place != places_.end() && place->second.is_known)
                flat.emplace(id_in(place->second), part);
        }
    };
    write(zones_, flat_.zoned);
    write(devices_, flat_.matched);
}

// `renew` may not be called for a long time: beyond a share of the nodes, copying everything costs no more.
void NodeIndex::note_written(std::vector<NodeId>& nodes, NodeId id) {
    if (written_.is_all || (!nodes.empty() && nodes.back() == id))
        return;
    nodes.push_back(id);
    written_.is_all = nodes.size() > 64 + node_count_ / 4;
}

namespace {

bool has_parts_of_nodes(const Snapshot& snapshot) {
    return !snapshot.zoned.empty() || !snapshot.matched.empty();
}

void copy_moves(const Snapshot& from, const std::vector<RowMove>& moves, Snapshot& to) {
    for (const auto& move : moves)
        apply(move, to);
    to.trees = from.trees;
    to.rows = from.rows;
    to.ids = from.ids;
}

}  // namespace

SnapshotDelta NodeIndex::renew(Snapshot& copy) {
    static_cast<void>(current());
    auto written = std::exchange(written_, {});
    const bool has_parts = has_parts_of_nodes(copy) || has_parts_of_nodes(flat_);
    if (written.is_all || (has_parts && !written.moves.empty())) {
        copy = flat_;
        return {.is_all = true, .moves = {}, .are_pod_classes = false, .nodes = {}, .hosts = {}};
    }
    if (!written.moves.empty())
        copy_moves(flat_, written.moves, copy);
    if (written.are_pod_classes) {
        copy.pod_classes = flat_.pod_classes;
        copy.need = flat_.need;
        copy_eligibility(copy);
    }
    for (const auto node : written.nodes)
        copy_room(copy, node);
    for (const auto node : written.hosts)
        copy_host(copy, node);
    return written;
}

void NodeIndex::copy_room(Snapshot& copy, NodeId node) const {
    for (std::size_t resource = 0; resource < flat_.resources.size(); ++resource) {
        copy.room[resource][node] = flat_.room[resource][node];
        copy.capacity[resource][node] = flat_.capacity[resource][node];
    }
    const auto copy_part = [node](const auto& from, auto& to) {
        if (from.empty() && to.empty())
            return;
        if (const auto here = from.find(node); here != from.end()) {
            to.insert_or_assign(node, here->second);
        } else {
            to.erase(node);
        }
    };
    copy_part(flat_.zoned, copy.zoned);
    copy_part(flat_.matched, copy.matched);
}

void NodeIndex::copy_host(Snapshot& copy, NodeId node) const {
    copy.usable[node] = flat_.usable[node];
    for (std::size_t pod_class = 0; pod_class < flat_.pod_classes.size(); ++pod_class)
        copy.eligible[pod_class][node] = flat_.eligible[pod_class][node];
}

void NodeIndex::copy_eligibility(Snapshot& copy) const {
    copy.eligible = flat_.eligible;
}

const Snapshot& NodeIndex::current() {
    const bool is_moved = !gone_.empty() || !unordered_nodes_.empty();
    if (is_numbering_stale_ || (is_moved && !splice()))
        renumber();
    if (are_rooms_stale_)
        rebuild_rooms();
    if (are_pod_classes_stale_)
        rebuild_pod_classes();
    return flat_;
}

void NodeIndex::renumber() {
    Snapshot old;
    old.trees = std::move(flat_.trees);
    old.left_out = std::move(flat_.left_out);
    std::vector<NodeId> numbers_before(node_count_);
    const auto numbers = build_trees();
    flat_.node_names.resize(node_count_);
    flat_.usable.resize(node_count_);
    auto before = std::exchange(flat_.eligible, {});
    flat_.eligible.assign(flat_.pod_classes.size(), std::vector<std::uint8_t>(node_count_));
    auto number = numbers.begin();
    for (auto* known : by_name_) {
        const auto id = *number++;
        const auto earlier = std::exchange(flat_.ids[known->second.row], id);
        numbers_before[id] = earlier;
        const auto node = view_of(*known);
        flat_.node_names[id] = known->first;
        flat_.usable[id] = node.usable ? 1 : 0;
        for (std::size_t pod_class = 0; pod_class < flat_.pod_classes.size(); ++pod_class) {
            flat_.eligible[pod_class][id] = earlier != nowhere
                                                ? before[pod_class][earlier]
                                                : static_cast<std::uint8_t>(is_eligible(node, pod_class));
        }
    }
    write_all_parts();
    is_numbering_stale_ = false;
    gone_.clear();
    renumber_rooms(numbers_before);
    written_.is_all = true;
    record_topology_delta(old, numbers_before);
}

namespace {

bool are_levels_alike(const Tree& a, const Tree& b) {
    const auto levels = [](const Tree& tree) {
        return std::tie(tree.name, tree.api_kind, tree.keys, tree.aliases, tree.tiers);
    };
    return levels(a) == levels(b);
}

// `earlier`: [node in `now`] its number in `before`.
bool is_left_out_alike(const UnusablePart& before, const UnusablePart& now, const std::vector<NodeId>& earlier) {
    if (std::tie(before.sentence, before.tiers, before.names) != std::tie(now.sentence, now.tiers, now.names))
        return false;
    std::vector<NodeId> nodes;
    nodes.reserve(now.nodes.size());
    for (const auto node : now.nodes) {
        nodes.push_back(earlier[node]);
    }
    std::ranges::sort(nodes);
    return nodes == before.nodes;
}

// Compares the domains of nodes above the host, which no topology changes. Neighbours are in the same domains, whose
// paths are compared once.
class DomainComparison {
public:
    DomainComparison(const Tree& before, const Tree& now) : before_(before), now_(now), last_(now.keys.size()) {}

    [[nodiscard]] bool is_same(NodeId earlier, NodeId node) {
        for (std::size_t depth = 0; depth + 1 < now_.keys.size(); ++depth) {
            const auto was = before_.domain_of[depth][earlier];
            const auto is = now_.domain_of[depth][node];
            auto& last = last_[depth];
            if (was != last.was || is != last.is)
                last = {was, is, path(before_, depth, was) == path(now_, depth, is)};
            if (!last.is_same)
                return false;
        }
        return true;
    }

private:
    struct Pair {
        std::uint32_t was = nowhere;
        std::uint32_t is = nowhere;
        bool is_same = true;
    };
    [[nodiscard]] static std::string_view path(const Tree& tree, std::size_t depth, std::uint32_t domain) {
        return domain == nowhere ? std::string_view() : std::string_view(tree.path_of(depth, domain));
    }

    const Tree& before_;
    const Tree& now_;
    std::vector<Pair> last_;  // [depth] Compared last.
};

}  // namespace

void NodeIndex::record_topology_delta(const Snapshot& before, const std::vector<NodeId>& earlier) {
    const auto is_out_alike = [&earlier](const UnusablePart& a, const UnusablePart& b) {
        return is_left_out_alike(a, b, earlier);
    };
    topology_delta_.levels_changed = topology_delta_.levels_changed ||
                                     !std::ranges::equal(before.trees, flat_.trees, are_levels_alike) ||
                                     !std::ranges::equal(before.left_out, flat_.left_out, is_out_alike);
    std::vector<DomainComparison> trees;
    for (std::size_t tree = 0; tree < flat_.trees.size() && !topology_delta_.levels_changed; ++tree)
        trees.emplace_back(before.trees[tree], flat_.trees[tree]);
    for (NodeId node = 0; node < node_count_ && !topology_delta_.levels_changed; ++node) {
        const auto is_same = [&](DomainComparison& tree) { return tree.is_same(earlier[node], node); };
        if (earlier[node] == nowhere || !std::ranges::all_of(trees, is_same))
            topology_delta_.nodes.push_back(flat_.node_names[node]);
    }
    limit_topology_delta();
}

// `take_topology_delta` may not be called for a long time: keeps the list short.
void NodeIndex::limit_topology_delta() {
    topology_delta_.levels_changed = topology_delta_.levels_changed || topology_delta_.nodes.size() > 2 * node_count_;
    if (topology_delta_.levels_changed)
        topology_delta_.nodes.clear();
}

TopologyDelta NodeIndex::take_topology_delta() {
    static_cast<void>(current());
    return std::exchange(topology_delta_, {});
}

// `earlier`: [new number] old number, or `nowhere`.
void NodeIndex::renumber_rooms(const std::vector<NodeId>& earlier) {
    for (auto* rows : {&flat_.room, &flat_.capacity}) {
        for (auto& row : *rows) {
            std::vector<std::int64_t> moved(node_count_);
            for (NodeId node = 0; node < node_count_; ++node) {
                moved[node] = earlier[node] == nowhere ? 0 : row[earlier[node]];
            }
            row = std::move(moved);
        }
    }
    for (const auto* known : by_name_) {
        if (earlier[id_in(known->second)] == nowhere)
            write_room(known->second);
    }
}

// Rows of resources that stay are up to date.
void NodeIndex::rebuild_rooms() {
    const auto before = std::exchange(flat_.resources, {});
    auto room = std::exchange(flat_.room, {});
    auto capacity = std::exchange(flat_.capacity, {});
    std::size_t absent = 0;
    for (const auto& [name, mentions] : resource_counts_) {
        if (mentions.nodes > 0 || (!uncounted_shares_.contains(name) && ++absent <= most_absent_resources))
            flat_.resources.push_back(name);
    }
    for (std::size_t resource = 0; resource < flat_.resources.size(); ++resource) {
        const auto at = std::ranges::lower_bound(before, flat_.resources[resource]);
        if (at != before.end() && *at == flat_.resources[resource]) {
            const auto row = static_cast<std::size_t>(at - before.begin());
            flat_.room.push_back(std::move(room[row]));
            flat_.capacity.push_back(std::move(capacity[row]));
            continue;
        }
        flat_.room.emplace_back(node_count_);
        flat_.capacity.emplace_back(node_count_);
        for (const auto* known : by_name_)
            write_room(known->second, id_in(known->second), resource);
    }
    are_rooms_stale_ = false;
    written_.is_all = true;
    if (before != flat_.resources)
        are_pod_classes_stale_ = true;  // `need` is indexed by resource.
}

}  // namespace echelon::model

#include "model/cluster/node_index.hpp"

#include "model/devices/gpu_share.hpp"
#include "model/facts/eligibility.hpp"
#include "model/facts/host_ports.hpp"

#include <algorithm>
#include <utility>

namespace echelon::model {

namespace {

bool is_more(const StringPool& strings, const Amounts& after, const StringPool::AmountEntry& before) {
    return std::ranges::any_of(
        after.entries(), [&](const auto& amount) { return amount.second > strings.amount_of(before, amount.first); });
}

}  // namespace

NodeDelta NodeIndex::see(const Node& node, const Amounts& devices) {
    NodeDelta delta;
    Amounts sum;
    if (!devices.empty()) {
        sum = node.allocatable;
        sum.add(devices);
    }
    const auto& allocatable = devices.empty() ? node.allocatable : sum;
    auto found = places_.find(node.name);
    if (found == places_.end())
        found = places_.try_emplace(node.name).first;
    auto& place = found->second;
    if (place.is_known) {
        update(found->first, place, node, allocatable, delta);
        return delta;
    }
    const bool was_stale = is_numbering_stale_;
    relabel(place, node.labels, delta);
    annotate(place, node.annotations, delta);
    resize(place, allocatable);
    place.taints = node.taints;
    place.ready = node.ready;
    place.unschedulable = node.unschedulable;
    place.deleting = node.deleting;
    place.is_known = true;
    ++node_count_;
    are_label_trees_stale_ = true;
    give_row(node.name, place);
    unordered_nodes_.push_back(&*found);
    is_numbering_stale_ = was_stale || delta.changes_known_levels;
    return {true, true, true, delta.changes_known_levels || !flat_.left_out.empty()};
}

// Writes only what differs: most events of a node repeat known facts.
void NodeIndex::update(const std::string& name, Place& place, const Node& node, const Amounts& allocatable,
                       NodeDelta& delta) {
    const bool is_relabelled = !strings_.says(place.labels, node.labels);
    const bool is_resized = !strings_.says(place.allocatable, allocatable);
    const bool is_eligible_otherwise =
        is_relabelled || place.is_usable() != node.is_usable() || place.taints != node.taints;
    delta.is_changed = is_resized || is_eligible_otherwise;
    delta.may_free_room = delta.is_changed && node.is_usable() &&
                          (is_eligible_otherwise || is_more(strings_, allocatable, place.allocatable));
    if (is_relabelled)
        relabel(place, node.labels, delta);
    if (!strings_.says(place.annotations, node.annotations))
        annotate(place, node.annotations, delta);
    if (is_resized) {
        resize(place, allocatable);
        write_room(place);
    }
    place.ready = node.ready;
    place.unschedulable = node.unschedulable;
    place.deleting = node.deleting;
    if (!is_eligible_otherwise)
        return;
    place.taints = node.taints;
    write_eligibility({name, {strings_, place.labels}, place.taints, place.is_usable(), {strings_, place.annotations}},
                      id_in(place));
}

std::int64_t NodeIndex::allocatable_of(std::string_view name, std::string_view resource) const {
    const auto found = places_.find(name);
    return found == places_.end() ? 0 : offered_by(found->second, resource);
}

std::int64_t NodeIndex::offered_by(const Place& place, std::string_view resource) const {
    return is_host_port(resource) ? 1 : strings_.amount_of(place.allocatable, resource);
}

NodeDelta NodeIndex::exchange_amounts(std::string_view name, const Amounts& before, const Amounts& after) {
    NodeDelta delta;
    const auto found = places_.find(name);
    if (found == places_.end() || !found->second.is_known)
        return delta;
    auto& place = found->second;
    const auto offered = strings_.read(place.allocatable);
    Amounts now;
    for (const auto& [resource, amount] : offered.entries()) {
        if (const auto left = amount - before.of(resource); left > 0 || before.of(resource) == 0)
            now.set(resource, left);
    }
    now.add(after);
    if (strings_.says(place.allocatable, now))
        return delta;
    delta.is_changed = true;
    delta.may_free_room = place.is_usable() && is_more(strings_, now, place.allocatable);
    resize(place, now);
    write_room(place);
    return delta;
}

NodeDelta NodeIndex::forget(std::string_view name) {
    NodeDelta delta;
    const auto found = places_.find(name);
    if (found == places_.end() || !found->second.is_known)
        return delta;
    auto& place = found->second;
    const bool was_stale = is_numbering_stale_;
    relabel(place, {}, delta);
    annotate(place, {}, delta);
    resize(place, {});
    forget_order_of(*found);
    free_row(name, place);
    place = Place{.labels = {}, .annotations = {}, .allocatable = {}, .taints = {}, .usage = std::move(place.usage)};
    --node_count_;
    are_label_trees_stale_ = true;
    is_numbering_stale_ = was_stale || delta.changes_known_levels;
    prune(found);
    return {true, false, true, delta.changes_known_levels || !flat_.left_out.empty()};
}

bool NodeIndex::knows(std::string_view name) const {
    const auto found = places_.find(name);
    return found != places_.end() && found->second.is_known;
}

NodeView NodeIndex::view_of(const Places::value_type& place) const {
    const auto& [name, node] = place;
    return {name.str(), {strings_, node.labels}, node.taints, node.is_usable(), {strings_, node.annotations}};
}

std::optional<NodeView> NodeIndex::view(std::string_view name) const {
    const auto found = places_.find(name);
    return found == places_.end() || !found->second.is_known ? std::nullopt : std::optional(view_of(*found));
}

std::optional<Node> NodeIndex::node(std::string_view name) const {
    const auto found = places_.find(name);
    if (found == places_.end() || !found->second.is_known)
        return std::nullopt;
    const auto& place = found->second;
    Node node;
    node.name = name;
    for (const auto& [key, value] : place.labels) {
        node.labels.emplace_hint(node.labels.end(), strings_.text(key), strings_.text(value));
    }
    for (const auto& [key, value] : place.annotations) {
        node.annotations.emplace_hint(node.annotations.end(), strings_.text(key), strings_.text(value));
    }
    node.allocatable = strings_.read(place.allocatable);
    node.taints = place.taints;
    node.ready = place.ready;
    node.unschedulable = place.unschedulable;
    node.deleting = place.deleting;
    return node;
}

const base::Text& NodeIndex::shared_name(const base::Text& name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? name : found->first;
}

NodeId NodeIndex::id_of(std::string_view name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? nowhere : id_in(found->second);
}

void NodeIndex::add_usage(const base::Text& node, const Amounts& requests) {
    auto& place = places_.try_emplace(node).first->second;
    place.usage.add(requests);
    write_cells(place, requests);
}

void NodeIndex::remove_usage(const base::Text& node, const Amounts& requests) {
    const auto found = places_.find(node);
    if (found == places_.end())
        return;
    found->second.usage.remove(requests);
    write_cells(found->second, requests);
    prune(found);
}

NodeIndex::PodClassEntry NodeIndex::intern(const PodClass& pod_class) {
    const auto [found, is_new] = pod_classes_.try_emplace(pod_class);
    if (is_new) {
        for (const auto& [name, amount] : pod_class.requests.entries()) {
            count_resource(name, true, false);
        }
        are_pod_classes_stale_ = true;
    }
    ++found->second.users;
    return found;
}

void NodeIndex::drop(PodClassEntry pod_class) {
    if (--pod_class->second.users > 0)
        return;
    for (const auto& [name, amount] : pod_class->first.requests.entries()) {
        count_resource(name, false, false);
    }
    pod_classes_.erase(pod_class);
    are_pod_classes_stale_ = true;
}

bool NodeIndex::see(const Topology& topology) {
    auto& known = topologies_[{topology.source, topology.api_kind, topology.name}];
    if (known == topology)
        return false;
    known = topology;
    is_numbering_stale_ = true;
    return true;
}

bool NodeIndex::forget(TopologySource source, const std::string& api_kind, const std::string& name) {
    if (topologies_.erase({source, api_kind, name}) == 0)
        return false;
    is_numbering_stale_ = true;
    return true;
}

bool NodeIndex::see(const DeclaredDomain& domain) {
    if (!forest_.see(domain))
        return false;
    is_numbering_stale_ = true;
    return true;
}

bool NodeIndex::forget_domain(std::string_view name) {
    if (!forest_.forget(name))
        return false;
    is_numbering_stale_ = true;
    return true;
}

std::vector<const Topology*> NodeIndex::faulty_topologies() const {
    std::vector<const Topology*> faulty;
    for (const auto& [key, topology] : topologies_) {
        if (!topology.problem.empty())
            faulty.push_back(&topology);
    }
    return faulty;
}

void NodeIndex::relabel(Place& place, const Labels& labels, NodeDelta& delta) {
    auto entry = strings_.enter(labels, place.labels);
    count_labels(place.labels, entry, delta);
    strings_.drop(std::exchange(place.labels, std::move(entry)));
}

// Topologies with `places` find nodes by annotations.
void NodeIndex::annotate(Place& place, const Labels& annotations, NodeDelta& delta) {
    if (strings_.says(place.annotations, annotations))
        return;
    strings_.drop(std::exchange(place.annotations, strings_.enter(annotations)));
    const auto tells = [](const auto& known) { return !known.second.places.empty(); };
    if (std::ranges::none_of(topologies_, tells))
        return;
    is_numbering_stale_ = true;
    delta.is_changed = true;
    delta.is_relabelled = true;
    delta.changes_known_levels = delta.changes_known_levels || !flat_.left_out.empty();
}

void NodeIndex::resize(Place& place, const Amounts& allocatable) {
    auto entry = strings_.enter(allocatable);
    // Usually amounts change, not resource names.
    if (!std::ranges::equal(entry, place.allocatable, {}, &StringPool::AmountEntry::value_type::first,
                            &StringPool::AmountEntry::value_type::first)) {
        for (const auto& [name, amount] : entry) {
            count_resource(strings_.text(name), true, true);
        }
        for (const auto& [name, amount] : place.allocatable) {
            count_resource(strings_.text(name), false, true);
        }
    }
    strings_.drop(std::exchange(place.allocatable, std::move(entry)));
}

// Counts one label; an empty value counts as no label.
void NodeIndex::count_label(const std::string& label, std::string_view was, std::string_view is, NodeDelta& delta) {
    if (is_level_label(label))
        is_numbering_stale_ = true;
    are_label_trees_stale_ = are_label_trees_stale_ || std::ranges::any_of(label_trees_, [&label](const auto& known) {
                                 return known.levels.reads(label);
                             });
    if (!flat_.left_out.empty() && forest_.reads(label))
        delta.changes_known_levels = true;
    if (was.empty() == is.empty())
        return;
    auto count = label_counts_.try_emplace(label).first;
    const auto nodes = was.empty() ? ++count->second : --count->second;
    if (nodes == (was.empty() ? 1U : 0U) && (asked_.contains(label) || is_preset_label(label)))
        delta.changes_known_levels = true;
    if (nodes == 0)
        label_counts_.erase(count);
}

// Walks both lists by key, and counts only labels that differ.
void NodeIndex::count_labels(const StringPool::LabelEntry& before, const StringPool::LabelEntry& after,
                             NodeDelta& delta) {
    delta.is_relabelled = true;
    auto old = before.begin();
    auto now = after.begin();
    while (old != before.end() || now != after.end()) {
        const bool is_both = old != before.end() && now != after.end() && old->first == now->first;
        const bool is_old = is_both || now == after.end() ||
                            (old != before.end() && strings_.text(old->first) < strings_.text(now->first));
        const bool is_now = is_both || !is_old;
        const auto was = is_old ? std::string_view(strings_.text(old->second)) : std::string_view();
        const auto is = is_now ? std::string_view(strings_.text(now->second)) : std::string_view();
        if (!is_both || old->second != now->second)
            count_label(strings_.text(is_old ? old->first : now->first), was, is, delta);
        old += is_old ? 1 : 0;
        now += is_now ? 1 : 0;
    }
}

bool NodeIndex::is_level_label(const std::string& label) const {
    const auto reads = [&label](const Levels& levels) { return levels.reads(label); };
    return asked_.contains(label) || std::ranges::any_of(declared_, reads) || is_preset_label(label) ||
           forest_.reads(label);
}

void NodeIndex::count_resource(const std::string& name, bool adds, bool is_of_node) {
    const auto count = resource_counts_.try_emplace(name).first;
    const auto before = count->second;
    auto& mentions = is_of_node ? count->second.nodes : count->second.pod_classes;
    mentions += adds ? 1U : static_cast<std::size_t>(-1);
    const auto now = count->second;
    if ((before.nodes > 0) != (now.nodes > 0) || before.is_mentioned() != now.is_mentioned())
        are_rooms_stale_ = true;
    if (now.nodes == 0 && now.is_mentioned() && !shared_out_by(name).empty()) {
        uncounted_shares_.insert(name);
    } else {
        uncounted_shares_.erase(name);
    }
    if (!now.is_mentioned())
        resource_counts_.erase(count);
}

void NodeIndex::ask(const std::map<std::string, std::size_t>& asked, std::uint64_t version) {
    if (version == asked_version_)
        return;
    asked_version_ = version;
    asked_.clear();
    for (const auto& [key, groups] : asked) {
        asked_.insert(key);
    }
    if (requested_level_names() != named_ || requested_of_several_trees() != of_several_)
        is_numbering_stale_ = true;
    if (is_numbering_stale_)
        return;
    // To fetch all nodes takes milliseconds in a large cluster, and a gang that comes or goes may change what is asked.
    const auto nodes =
        nodes_decide_single_levels(declared_, asked_, label_counts_) ? known_nodes() : std::vector<NodeView>{};
    if (single_label_levels(declared_, asked_, label_counts_, nodes) != single_label_levels_)
        is_numbering_stale_ = true;
}

std::vector<std::uint32_t> NodeIndex::host_ranks() {
    sort_nodes();
    for (std::uint32_t rank = 0; rank < in_natural_order_.size(); ++rank) {
        in_natural_order_[rank]->second.rank = rank;
    }
    std::vector<std::uint32_t> ranks;
    ranks.reserve(by_name_.size());
    for (const auto* place : by_name_) {
        ranks.push_back(place->second.rank);
    }
    return ranks;
}

std::vector<NodeView> NodeIndex::known_nodes() {
    sort_nodes();
    std::vector<NodeView> nodes;
    nodes.reserve(by_name_.size());
    for (const auto* place : by_name_) {
        nodes.push_back(view_of(*place));
    }
    return nodes;
}

}  // namespace echelon::model

#include "model/landscape.hpp"

#include "model/eligibility.hpp"

#include <algorithm>
#include <iterator>

namespace echelon::model {

namespace {

bool has_grown(const Amounts& before, const Amounts& after) {
    return std::ranges::any_of(after.entries(),
                               [&before](const auto& entry) { return entry.second > before.of(entry.first); });
}

}  // namespace

// Made when it isn't there.
Landscape::Places::iterator Landscape::place_named(std::string_view name) {
    if (const auto known = by_name_.find(name); known != by_name_.end())
        return known->second;
    const auto place = places_.try_emplace(std::string(name)).first;
    by_name_.emplace(place->first, place);
    return place;
}

NodeNews Landscape::see(const Node& node) {
    NodeNews news;
    auto& place = place_named(node.name)->second;
    if (!place.node) {
        count_labels({}, node.labels, news);
        count_resources(node.allocatable, true);
        place.node = node;
        place.id = nowhere;
        ++node_count_;
        is_numbering_stale_ = true;
        return {true, true, true, news.knows_other_keys || !flat_.left_out.empty()};
    }
    update(place, node, news);
    return news;
}

// Only what differs is copied: most events of a node repeat what is known.
void Landscape::update(Place& place, const Node& node, NodeNews& news) {
    auto& known = *place.node;
    const bool is_relabelled = known.labels != node.labels;
    const bool is_resized = known.allocatable != node.allocatable;
    const bool is_eligible_otherwise =
        is_relabelled || known.is_usable() != node.is_usable() || known.taints != node.taints;
    news.is_changed = is_resized || is_eligible_otherwise;
    news.may_free_room = news.is_changed && node.is_usable() &&
                         (is_eligible_otherwise || has_grown(known.allocatable, node.allocatable));
    if (is_relabelled) {
        count_labels(known.labels, node.labels, news);
        known.labels = node.labels;
    }
    if (is_resized) {
        count_resources(node.allocatable, true);
        count_resources(known.allocatable, false);
        known.allocatable = node.allocatable;
        write_room(place);
    }
    known.uid = node.uid;
    known.annotations = node.annotations;
    known.taints = node.taints;
    known.ready = node.ready;
    known.unschedulable = node.unschedulable;
    known.deleting = node.deleting;
    if (is_eligible_otherwise)
        write_eligibility(place);
}

NodeNews Landscape::forget(std::string_view name) {
    NodeNews news;
    const auto found = by_name_.find(name);
    if (found == by_name_.end() || !found->second->second.node)
        return news;
    const auto place = found->second;
    count_labels(place->second.node->labels, {}, news);
    count_resources(place->second.node->allocatable, false);
    place->second.node.reset();
    place->second.id = nowhere;
    --node_count_;
    is_numbering_stale_ = true;
    prune(place);
    return {true, false, true, news.knows_other_keys || !flat_.left_out.empty()};
}

const Node* Landscape::find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() || !found->second->second.node ? nullptr : &*found->second->second.node;
}

NodeId Landscape::id_of(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nowhere : found->second->second.id;
}

void Landscape::prune(Places::iterator place) {
    if (place->second.node || !place->second.usage.empty())
        return;
    by_name_.erase(place->first);
    places_.erase(place);
}

void Landscape::occupy(const std::string& node, const Amounts& requests) {
    auto& place = place_named(node)->second;
    place.usage.add(requests);
    write_cells(place, requests);
}

void Landscape::vacate(const std::string& node, const Amounts& requests) {
    const auto found = by_name_.find(node);
    if (found == by_name_.end())
        return;
    const auto place = found->second;
    place->second.usage.remove(requests);
    write_cells(place->second, requests);
    prune(place);
}

Landscape::Shape Landscape::intern(const PodShape& shape) {
    const auto [found, is_new] = shapes_.try_emplace(shape);
    if (is_new) {
        count_resources(shape.requests, true);
        are_shapes_stale_ = true;
    }
    ++found->second.users;
    return found;
}

void Landscape::drop(Shape shape) {
    if (--shape->second.users > 0)
        return;
    count_resources(shape->first.requests, false);
    shapes_.erase(shape);
    are_shapes_stale_ = true;
}

bool Landscape::see(const Topology& topology) {
    auto& known = topologies_[{topology.source, topology.api_kind, topology.name}];
    if (known == topology)
        return false;
    known = topology;
    is_numbering_stale_ = true;
    return true;
}

bool Landscape::forget(TopologySource source, const std::string& api_kind, const std::string& name) {
    if (topologies_.erase({source, api_kind, name}) == 0)
        return false;
    is_numbering_stale_ = true;
    return true;
}

bool Landscape::see(const DeclaredDomain& domain) {
    if (!forest_.see(domain))
        return false;
    is_numbering_stale_ = true;
    return true;
}

bool Landscape::forget_domain(std::string_view name) {
    if (!forest_.forget(name))
        return false;
    is_numbering_stale_ = true;
    return true;
}

std::vector<const Topology*> Landscape::faulty_topologies() const {
    std::vector<const Topology*> faulty;
    for (const auto& [key, topology] : topologies_) {
        if (!topology.problem.empty())
            faulty.push_back(&topology);
    }
    return faulty;
}

// Walks both sorted lists, and looks closer only at labels that one of them lacks or that differ.
void Landscape::count_labels(const Labels& before, const Labels& after, NodeNews& news) {
    news.is_relabelled = true;
    const auto differs = [&](const std::string& label, const std::string* was, const std::string* is) {
        const bool was_there = was != nullptr && !was->empty();
        const bool is_there = is != nullptr && !is->empty();
        if (is_level_label(label))
            is_numbering_stale_ = true;
        if (!flat_.left_out.empty() && forest_.reads(label))
            news.knows_other_keys = true;
        if (was_there == is_there)
            return;
        auto count = label_counts_.try_emplace(label).first;
        const auto nodes = is_there ? ++count->second : --count->second;
        if (nodes == (is_there ? 1U : 0U) && (asked_.contains(label) || is_preset_label(label)))
            news.knows_other_keys = true;
        if (nodes == 0)
            label_counts_.erase(count);
    };
    auto old = before.begin();
    auto now = after.begin();
    while (old != before.end() || now != after.end()) {
        if (now == after.end() || (old != before.end() && old->first < now->first)) {
            differs(old->first, &old->second, nullptr);
            ++old;
        } else if (old == before.end() || now->first < old->first) {
            differs(now->first, nullptr, &now->second);
            ++now;
        } else {
            if (old->second != now->second)
                differs(now->first, &old->second, &now->second);
            ++old;
            ++now;
        }
    }
}

bool Landscape::is_level_label(const std::string& label) const {
    const auto reads = [&label](const Levels& levels) { return levels.reads(label); };
    return asked_.contains(label) || std::ranges::any_of(declared_, reads) || is_preset_label(label) ||
           forest_.reads(label);
}

void Landscape::count_resources(const Amounts& amounts, bool adds) {
    for (const auto& [name, amount] : amounts.entries()) {
        auto& count = resource_counts_[name];
        count += adds ? 1U : static_cast<std::size_t>(-1);
        if (count == (adds ? 1U : 0U))
            are_rooms_stale_ = true;
        if (count == 0)
            resource_counts_.erase(name);
    }
}

void Landscape::ask(const std::map<std::string, std::size_t>& asked, std::uint64_t version) {
    if (version == asked_version_)
        return;
    asked_version_ = version;
    asked_.clear();
    for (const auto& [key, groups] : asked) {
        asked_.insert(key);
    }
    if (asked_names() != named_)
        is_numbering_stale_ = true;
    if (!is_numbering_stale_ && single_label_levels(declared_, asked_, label_counts_, known_nodes()) != singles_)
        is_numbering_stale_ = true;
}

std::set<std::string> Landscape::asked_names() const {
    std::set<std::string> names;
    std::ranges::set_intersection(asked_, split_names_, std::inserter(names, names.end()));
    return names;
}

std::vector<const Node*> Landscape::known_nodes() const {
    std::vector<const Node*> nodes;
    nodes.reserve(node_count_);
    for (const auto& [name, place] : places_) {
        if (place.node)
            nodes.push_back(&*place.node);
    }
    return nodes;
}

}  // namespace echelon::model

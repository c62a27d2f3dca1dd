// The facts of the cluster as events, to make a copy of it from.

#include "model/cluster/cluster_state.hpp"

#include <set>
#include <utility>
#include <vector>

namespace echelon::model {

// Groups that a separate object defines. Groups of sets come with their sets, and leaves that are made for pods come
// with the pods.
void Cluster::State::append_groups(std::vector<Event>& events) const {
    std::set<GroupKey> comes_otherwise;
    for (auto& set : sets.all(forest)) {
        for (const auto& group : set.groups)
            comes_otherwise.insert(group.key);
        events.emplace_back(GroupSetSeen{std::move(set)});
    }
    for (auto& leaf : selected_leaves.made())
        comes_otherwise.insert(std::move(leaf));
    for (const auto& key : forest.keys()) {
        const auto* group = comes_otherwise.contains(key) ? nullptr : forest.object(key);
        if (group != nullptr)
            events.emplace_back(GroupSeen{*group});
    }
}

// The nodes as they were reported, without what devices add.
void Cluster::State::append_nodes(std::vector<Event>& events) const {
    for (const auto name : node_index.names()) {
        auto node = *node_index.node(name);
        if (const auto devices_there = offered.find(node.name); devices_there != offered.end()) {
            Amounts own;
            for (const auto& [resource, amount] : node.allocatable.entries()) {
                const auto added = devices_there->second.all.of(resource);
                if (amount > added || added == 0)
                    own.set(resource, amount - added);
            }
            node.allocatable = std::move(own);
        }
        if (const auto faults = node_faults.find(node.name); faults != node_faults.end())
            node.faults = faults->second;
        events.emplace_back(NodeSeen{std::move(node)});
    }
}

// The pod as it was reported: with the group that it names itself, and before its claims were resolved.
PodSeen Cluster::State::as_seen(const PodRow& row) const {
    if (devices.keeps_any() && devices.keeps(row.pod.uid))
        return devices.kept(row.pod.uid);
    PodSeen seen{.pod = row.pod};
    for (const auto& [key, value] : row.labels)
        seen.labels.emplace_hint(seen.labels.end(), strings.text(key), strings.text(value));
    auto& membership = seen.pod.membership;
    if (row.is_named_by_group) {
        membership.reset();
    } else if (membership) {
        if (const auto* selected = selected_leaves.find(membership->leaf); selected != nullptr)
            membership->replace_content(selected->group);
    }
    return seen;
}

std::vector<Event> Cluster::events() const {
    std::vector<Event> events;
    events.reserve(state_->pods.size() + state_->node_index.node_count() + state_->forest.size());
    for (const auto* topology : state_->node_index.topologies())
        events.emplace_back(TopologySeen{*topology});
    for (const auto& [name, domain] : state_->node_index.declared_domains().domains())
        events.emplace_back(DomainSeen{domain});
    for (const auto& [name, known] : state_->classes)
        events.emplace_back(PriorityClassSeen{
            .name = name, .value = known.value, .preempts = known.preempts, .is_default = known.is_default});
    for (const auto& [ns, budgets] : state_->budgets) {
        for (const auto& [name, budget] : budgets)
            events.emplace_back(BudgetSeen{budget});
    }
    for (const auto& [uid, ends] : std::map(state_->job_ends.begin(), state_->job_ends.end()))
        events.emplace_back(JobSeen{.uid = uid, .ends = ends});
    state_->devices.append_objects(events);
    state_->append_nodes(events);
    state_->append_zones(events);
    state_->append_groups(events);
    for (const auto& row : state_->pods)
        events.emplace_back(state_->as_seen(*row));
    return events;
}

GroupKey Cluster::root_of(const GroupKey& group) const {
    return state_->forest.root_of(group);
}

}  // namespace echelon::model

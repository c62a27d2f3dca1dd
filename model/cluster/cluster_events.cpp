// How each event changes the cluster, and what it affects. No event depends on an earlier one.

#include "model/cluster/cluster_state.hpp"

#include <memory>
#include <tuple>
#include <utility>

namespace echelon::model {

namespace {

// True if the pod may have a seat, now or later (unknown node, gates). The solver needs its class then.
bool holds_shape(const Pod& pod) {
    return !pod.deleting && !pod.is_finished();
}

// A dead pod's declarations count only if no living member declares the group.
bool is_alive(const Pod& pod) {
    return !pod.deleting && pod.phase != PodPhase::failed;
}

// The pod's name where it decides between declarations, else empty.
std::string name_for(const Group& declared, const Pod& pod) {
    return declared.policy.oldest_pod_decides ? pod.full_name() : std::string();
}

bool is_waiting(const Pod& pod) {
    return pod_standing_of(pod, true) == Standing::waiting;
}

bool waits_for_victims(const Pod& pod) {
    return !pod.nominated_node.empty() && pod.node.empty() && !pod.deleting && !pod.is_finished();
}

// A bound pod already has its devices, and pods of no gang aren't planned.
bool claims_count(const PodSeen& event) {
    return !event.claims.empty() && event.pod.membership && event.pod.node.empty() && holds_shape(event.pod);
}

bool occupies_alike(const Pod& a, const Pod& b) {
    return a.occupies() == b.occupies() && a.node == b.node && a.shape.requests == b.shape.requests;
}

bool bears_terms(const Pod& pod) {
    return !pod.terms.empty() || pod.has_unread_terms;
}

// True if nothing differs that the leaf, the forest or the classes store.
bool belongs_alike(const Pod& a, const Pod& b) {
    return a.membership == b.membership && a.scheduler_name == b.scheduler_name && is_alive(a) == is_alive(b) &&
           holds_shape(a) == holds_shape(b) && a.created == b.created && a.node == b.node && a.shape == b.shape &&
           a.terms == b.terms;
}

// Of a bound pod without a group only the requests are stored. A group may still name a waiting pod.
void keep(const Pod& pod, Pod& kept) {
    kept = Pod(pod);  // A new copy allocates exactly; assignment may keep larger buffers.
    if (!pod.membership && !pod.node.empty()) {
        kept.shape = {
            .requests = std::move(kept.shape.requests), .node_selector = {}, .node_affinity = {}, .tolerations = {}};
    }
}

// True if `keep` would change nothing.
bool is_kept(const Pod& pod, const Pod& kept) {
    if (pod.membership || kept.membership || pod.node.empty())
        return pod == kept;
    // Every field, in order.
    const auto parts = [](const Pod& of) {
        const auto& [uid, ns, name, scheduler, node, nominated, phase, deleting, has_unread, preempts, is_protected,
                     shape, terms, gates, priority, created, started, deadline, membership, plan] = of;
        return std::tie(uid, ns, name, scheduler, node, nominated, phase, deleting, has_unread, preempts, is_protected,
                        shape.requests, terms, gates, priority, created, started, deadline, plan);
    };
    return parts(pod) == parts(kept);
}

}  // namespace

void Cluster::State::on(const NodeSeen& event, Change& change) {
    if (event.node.faults.empty()) {
        node_faults.erase(event.node.name);
    } else {
        node_faults.insert_or_assign(event.node.name, event.node.faults);
    }
    const auto devices_there =
        devices.has_devices() || !offered.empty() ? offer(event.node.name, event.node.allocatable) : Amounts{};
    apply_node_delta(event.node.name, node_index.see(event.node, devices_there), change);
}

void Cluster::State::on(const NodeGone& event, Change& change) {
    node_faults.erase(event.name);
    withdraw(event.name);
    apply_node_delta(event.name, node_index.forget(event.name), change);
}

void Cluster::State::apply_node_delta(const std::string& name, const NodeDelta& delta, Change& change) {
    if (delta.is_changed)
        change.nodes.insert(name);
    change.may_free_room = change.may_free_room || delta.may_free_room;
    if (delta.changes_known_levels)
        change.topology = true;
    const auto members = members_on.find(name);
    if (!delta.is_relabelled || members == members_on.end())
        return;
    for (const auto* row : members->second) {
        mark_root_changed(row->pod, change);
    }
}

void Cluster::State::see(const PodSeen& event, Change& change) {
    if (claims_count(event)) {
        apply_devices(devices.keep(event), change);
        return on_resolved(devices.resolve(event.pod.uid), change);
    }
    if (devices.keeps_any() && devices.keeps(event.pod.uid))
        apply_devices(devices.drop(event.pod.uid), change);
    on_resolved(event, change);
}

void Cluster::State::on_resolved(const PodSeen& event, Change& change) {
    std::optional<Pod> sorted;
    if (const auto leaf = leaf_of(event)) {
        add_selected_leaf(event.pod.membership->leaf, *leaf, change);
        sorted = event.pod;
        sorted->membership->replace_content(leaf->leaf.key);
    } else if (auto given = given_membership(event.pod)) {
        (sorted = event.pod)->membership = std::move(given);
    }
    on_pod(sorted ? *sorted : event.pod, event.labels, change);
    (**pods.find(event.pod.uid)).is_named_by_group = sorted && !event.pod.membership;
}

void Cluster::State::on_pod(const Pod& pod, const Labels& labels, Change& change) {
    const auto known = pods.find(pod.uid);
    if (known == pods.end()) {
        note_arrival(nullptr, pod, change);
        auto made = std::make_unique<PodRow>();
        auto& row = *made;
        keep(pod, row.pod);
        row.labels = strings.enter(labels);
        pods.insert(std::move(made));
        by_name.insert(&row);
        if (pod.occupies())
            node_index.add_usage(pod.node, pod.shape.requests);
        index_pod(row);
        mark_declared_changed(pod, change);
        enter_leaf(row);
        return mark_root_changed(pod, change);
    }
    auto& row = **known;
    if (!strings.says(row.labels, labels)) {
        auto entry = strings.enter(labels);
        strings.drop(std::exchange(row.labels, std::move(entry)));
        change.may_free_room = change.may_free_room || (pods_with_affinity > 0 && pod.occupies());
        mark_root_changed(pod, change);
    }
    if (is_kept(pod, row.pod))
        return;
    if (row.pod.membership)
        mark_root_changed(row.pod, change);
    note_arrival(&row.pod, pod, change);
    unindex_pod(row);
    if (!occupies_alike(row.pod, pod)) {
        if (row.pod.occupies())
            node_index.remove_usage(row.pod.node, row.pod.shape.requests);
        if (pod.occupies())
            node_index.add_usage(pod.node, pod.shape.requests);
    }
    if (belongs_alike(row.pod, pod)) {
        keep(pod, row.pod);
    } else {
        const auto left = row.pod.membership ? row.pod.membership->leaf : GroupKey{};
        leave_leaf(row);
        keep(pod, row.pod);
        enter_leaf(row);
        remove_selected_leaf(left, change);
    }
    index_pod(row);
    if (pod.membership)
        mark_root_changed(pod, change);
}

void Cluster::State::remove(const PodRow& gone, Change& change) {
    auto handle = pods.extract(pods.find(gone.pod.uid));
    auto& row = *handle.value();
    const auto& pod = row.pod;
    if (pod.membership)
        mark_root_changed(pod, change);
    if (pod.occupies())
        node_index.remove_usage(pod.node, pod.shape.requests);
    if (pod.occupies() || waits_for_victims(pod))
        change.may_free_room = true;
    leave_leaf(row);
    unindex_pod(row);
    strings.drop(row.labels);
    if (const auto bearer = by_name.find(&row); bearer != by_name.end() && *bearer == &row)
        by_name.erase(bearer);
    if (pod.membership)
        mark_root_changed(pod, change);
    if (pod.membership)
        remove_selected_leaf(pod.membership->leaf, change);
    if (devices.keeps_any() && devices.keeps(pod.uid))
        apply_devices(devices.drop(pod.uid), change);
}

void Cluster::State::note_arrival(const Pod* before, const Pod& after, Change& change) const {
    const bool was_there = before != nullptr && is_tracked(*before) && is_waiting(*before);
    if (!was_there && is_tracked(after) && is_waiting(after))
        change.member_arrived = true;
    const auto kept_room = [](const Pod& pod) { return waits_for_victims(pod) ? pod.nominated_node : std::string(); };
    const bool lets_go =
        before != nullptr && !kept_room(*before).empty() && !after.occupies() && kept_room(*before) != kept_room(after);
    if (lets_go || (before != nullptr && before->occupies() && !after.occupies()))
        change.may_free_room = true;
}

void Cluster::State::enter_leaf(PodRow& row) {
    const auto& pod = row.pod;
    if (!pod.membership)
        return;
    auto& leaf = leaves[pod.membership->leaf];
    (is_tracked(pod) ? leaf.ours : leaf.foreign).insert(&row);
    if (!pod.node.empty())
        members_on[pod.node].insert(&row);
    if (!is_tracked(pod))
        return;
    if (const auto& attempt = pod.membership->attempt; attempt.empty()) {
        ++leaf.without_attempt;
    } else if (attempt != any_attempt) {
        ++leaf.attempts[attempt];
    }
    const auto& declared = pod.membership->declared;
    for (std::size_t at = 0, end = declared.size(); at < end; ++at) {
        forest.declare(declared.share(at), pod.created, is_alive(pod), name_for(declared[at], pod));
        retain_late_class(declared[at].key);
    }
    note_anchors(*pod.membership, true);
    for (const auto& term : pod.terms) {
        if (term.kind == PodTerm::Kind::together && affinity_topology_keys[term.key]++ == 0)
            ++affinity_version;
    }
    ask_levels();
    if (holds_shape(pod)) {
        row.shape = node_index.intern(pod.shape);
        row.has_shape = true;
    }
}

void Cluster::State::leave_leaf(PodRow& row) {
    const auto& pod = row.pod;
    if (!pod.membership)
        return;
    const auto leaf = leaves.find(pod.membership->leaf);
    if (leaf->second.ours.erase(&row) > 0)
        leaf->second.forget_attempt(pod.membership->attempt);
    leaf->second.foreign.erase(&row);
    if (leaf->second.empty())
        leaves.erase(leaf);
    if (!pod.node.empty()) {
        const auto here = members_on.find(pod.node);
        here->second.erase(&row);
        if (here->second.empty())
            members_on.erase(here);
    }
    if (!is_tracked(pod))
        return;
    for (const auto& group : pod.membership->declared.values()) {
        forest.retract(group, pod.created, is_alive(pod), name_for(group, pod));
        retain_late_class(group.key);
    }
    note_anchors(*pod.membership, false);
    for (const auto& term : pod.terms) {
        if (term.kind == PodTerm::Kind::together && --affinity_topology_keys[term.key] == 0) {
            affinity_topology_keys.erase(term.key);
            ++affinity_version;
        }
    }
    ask_levels();
    if (row.has_shape)
        node_index.drop(row.shape);
    row.has_shape = false;
}

Change Cluster::reprofile(Profiles profiles) {
    Change change;
    std::vector<State::PodRow*> members;
    for (const auto& row : state_->pods) {
        if (!row->pod.membership)
            continue;
        members.push_back(row.get());
        state_->mark_root_changed(row->pod, change);
        state_->note_nomination(*row, false);
        state_->leave_leaf(*row);
    }
    state_->profiles = std::move(profiles);
    for (auto* row : members) {
        state_->enter_leaf(*row);
        state_->note_nomination(*row, true);
    }
    for (const auto* row : members)
        state_->mark_root_changed(row->pod, change);
    change.may_free_room = true;
    return change;
}

// The solver needs the classes of late members before these exist.
void Cluster::State::retain_late_class(const GroupKey& key) {
    const auto* group = forest.find(key);
    const auto* late = group != nullptr && group->late_pod_class ? &*group->late_pod_class : nullptr;
    const auto known = late_shapes.find(key);
    if (known == late_shapes.end() && late == nullptr)
        return;
    if (known != late_shapes.end()) {
        if (late != nullptr && known->second->first == *late)
            return;
        node_index.drop(known->second);
        late_shapes.erase(known);
    }
    if (late != nullptr)
        late_shapes.emplace(key, node_index.intern(*late));
}

// Without members of gangs, whose seats echelon decides.
void Cluster::State::note_nomination(const PodRow& row, bool comes) {
    const auto note = [&](auto& index, const std::string& node) {
        if (comes) {
            index[node].insert(&row);
            return;
        }
        const auto here = index.find(node);
        if (here == index.end() || here->second.erase(&row) == 0 || !here->second.empty())
            return;
        index.erase(here);
    };
    const auto& pod = row.pod;
    if (pod.occupies() && pod.deleting)
        note(leaving, pod.node);
    if (waits_for_victims(pod) && !is_tracked(pod))
        note(nominated, pod.nominated_node);
}

// Indexes the pod for terms of other pods. `unindex_pod` undoes it, before anything about the pod changes.
void Cluster::State::index_pod(PodRow& row) {
    const auto& pod = row.pod;
    pods_with_affinity += bears_terms(pod) ? 1U : 0U;
    note_nomination(row, true);
    if (!pod.occupies())
        return;
    auto& here = standing[pod.ns];
    row.place = static_cast<std::uint32_t>(here.size());
    here.push_back(&row);
    for (const auto& term : pod.terms) {
        if (term.kind == PodTerm::Kind::apart)
            ++pods_with_anti_affinity[term][pod.node];
    }
}

void Cluster::State::unindex_pod(PodRow& row) {
    const auto& pod = row.pod;
    pods_with_affinity -= bears_terms(pod) ? 1U : 0U;
    note_nomination(row, false);
    if (!pod.occupies())
        return;
    const auto here = standing.find(pod.ns);
    here->second.back()->place = row.place;
    here->second[row.place] = here->second.back();
    here->second.pop_back();
    if (here->second.empty())
        standing.erase(here);
    for (const auto& term : pod.terms) {
        if (term.kind != PodTerm::Kind::apart)
            continue;
        const auto known = pods_with_anti_affinity.find(term);
        const auto node = known->second.find(pod.node);
        if (--node->second == 0)
            known->second.erase(node);
        if (known->second.empty())
            pods_with_anti_affinity.erase(known);
    }
}

void Cluster::State::mark_root_changed(const Pod& pod, Change& change) const {
    if (!pod.membership)
        return;
    const auto root = forest.root_of(pod.membership->leaf);
    change.gangs.insert(root);
    bool has_co_located_gangs = co_located_leaves.contains(root);
    for (const auto& group : pod.membership->declared.values()) {
        if (group.only_supplements)
            change.gangs.insert(forest.root_of(group.key));
        has_co_located_gangs = has_co_located_gangs || group.anchor;
    }
    if (has_co_located_gangs)
        change.gangs.merge(co_located_gangs_of(root));
    mark_declared_changed(pod, change);
}

}  // namespace echelon::model

// How each event changes the cluster, and what it affects. No event depends on an earlier one.

#include "model/cluster/cluster_state.hpp"
#include "model/cluster/kept_parts.hpp"

#include <memory>
#include <utility>

namespace echelon::model {

namespace {

// True if the pod may have a seat, now or later (unknown node, gates). The solver needs its class then.
bool holds_pod_class(const Pod& pod) {
    return !pod.deleting && !pod.is_finished();
}

// The pod's name where it decides between declarations, else empty.
std::string name_for(const Group& declared, const Pod& pod) {
    return declared.policy.oldest_pod_decides ? pod.full_name() : std::string();
}

// A pod that has succeeded declares its gang only while no other pod does, since the next run may ask for something
// else. What it adds to a group still holds.
bool declares(const Pod& pod, const Group& group) {
    return pod.is_alive() && (group.only_supplements || !pod.is_finished());
}

bool is_waiting(const Pod& pod) {
    return member_status_of(pod, true) == MemberStatus::waiting;
}

bool waits_for_victims(const Pod& pod) {
    return !pod.nominated_node.empty() && pod.node.empty() && !pod.deleting && !pod.is_finished();
}

// A bound pod already has its devices, and pods of no gang aren't planned.
bool devices_count(const Pod& pod) {
    return pod.membership && pod.node.empty() && holds_pod_class(pod);
}

// True if the pod stays where it is and needs less than before.
bool shrinks(const Pod& before, const Pod& after) {
    const auto is_less = [&after](const Amounts::Entry& amount) {
        return after.pod_class.requests.of(amount.first) < amount.second;
    };
    return before.occupies() && after.occupies() && std::ranges::any_of(before.pod_class.requests.entries(), is_less);
}

bool occupies_alike(const Pod& a, const Pod& b) {
    return a.occupies() == b.occupies() && a.node == b.node && a.pod_class.requests == b.pod_class.requests;
}

// True if nothing differs that the leaf, the forest or the classes store.
bool belongs_alike(const Pod& a, const Pod& b) {
    return a.membership == b.membership && a.scheduler_name == b.scheduler_name && a.is_alive() == b.is_alive() &&
           holds_pod_class(a) == holds_pod_class(b) && a.created == b.created && a.node == b.node &&
           a.pod_class == b.pod_class && a.terms == b.terms;
}

// True if co-located gangs see a difference (X5).
bool is_seen_beside(const Pod& before, const Pod& after) {
    return !belongs_alike(before, after) || member_status_of(before, true) != member_status_of(after, true);
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
    change.moved_pods_apart = delta.is_relabelled && affinity_terms.exist();
    const auto* here = members.on(name);
    if (!delta.is_relabelled || here == nullptr)
        return;
    for (const auto* row : *here)
        touch(row->pod, change);
}

// Shares the UID and the name with seats and holds, which have those of the row. Shares the other texts and the
// requests with other pods.
void Cluster::State::keep(const Pod& pod, PodRow& row) {
    auto& kept = row.pod;
    if (kept.name != pod.name || kept.ns != pod.ns)
        row.full_name = pod.membership ? base::Text(pod.full_name()) : base::Text();
    auto uid = kept.uid == pod.uid ? kept.uid : pod.uid;
    auto name = kept.name == pod.name ? kept.name : pod.name;
    keep_parts(pod, kept);
    kept.uid = std::move(uid);
    kept.name = std::move(name);
    kept.ns = recent_names.shared(pod.ns);
    if (kept.membership)
        kept.membership->leaf.name = recent_names.shared(kept.membership->leaf.name);
    kept.scheduler_name = recent_names.shared(pod.scheduler_name);
    kept.pod_class.requests = recent_requests.shared(kept.pod_class.requests);
    kept.node = node_index.shared_name(pod.node);
    kept.nominated_node = node_index.shared_name(pod.nominated_node);
}

// A new pod may have the name of a known one. A known UID under another name is another pod: the API server never does
// that, manifests may.
void Cluster::State::on(const PodSeen& event, Change& change) {
    const auto* named = pods.named(event.pod.ns, event.pod.name);
    if (named == nullptr || named->pod.uid != event.pod.uid) {
        if (named != nullptr)
            remove(*named, change);
        if (const auto* known = pods.find(event.pod.uid))
            remove(*known, change);
    }
    see(event, change);
}

void Cluster::State::on(const PodGone& event, Change& change) {
    if (const auto* row = pods.find(event.uid))
        remove(*row, change);
}

void Cluster::State::see(const PodSeen& event, Change& change) {
    if (devices_count(event.pod) && devices.concerns(event)) {
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
    pods.find(event.pod.uid)->is_named_by_group = sorted && !event.pod.membership;
}

void Cluster::State::on_pod(const Pod& pod, const Labels& labels, Change& change) {
    auto* known = pods.find(pod.uid);
    if (known == nullptr) {
        note_arrival(nullptr, pod, change);
        auto made = std::make_unique<PodRow>();
        keep(pod, *made);
        made->labels = strings.enter(labels);
        auto& row = pods.add(std::move(made));
        if (pod.occupies())
            node_index.add_usage(pod.node, pod.pod_class.requests);
        index_pod(row);
        note_followers(row, change);
        affected.add_declared_by(pod, change.gangs);
        enter_leaf(row);
        return touch(pod, change);
    }
    auto& row = *known;
    if (!strings.says(row.labels, labels)) {
        auto entry = strings.enter(labels);
        strings.drop(std::exchange(row.labels, std::move(entry)));
        change.may_free_room = change.may_free_room || (affinity_terms.exist() && pod.occupies());
        affected.add_gang_of(pod, change.gangs);
    }
    if (is_kept(pod, row.pod))
        return;
    const auto note_gang_of = [&, is_seen = is_seen_beside(row.pod, pod)](const Pod& each) {
        if (is_seen) {
            touch(each, change);
        } else {
            affected.add_gang_of(each, change.gangs);
        }
    };
    note_gang_of(row.pod);
    if (row.pod.membership != pod.membership)
        affected.add_declared_by(pod, change.gangs);  // While groups that it declares don't exist yet.
    note_arrival(&row.pod, pod, change);
    const bool comes = pod.occupies() && !row.pod.occupies();
    unindex_pod(row);
    if (!occupies_alike(row.pod, pod))
        move_usage(row.pod, pod);
    if (belongs_alike(row.pod, pod)) {
        keep(pod, row);
    } else {
        const auto left = row.pod.membership ? row.pod.membership->leaf : GroupKey{};
        leave_leaf(row);
        affected.add_declared_by(row.pod, change.gangs);  // Groups that it alone declared are gone now.
        keep(pod, row);
        enter_leaf(row);
        remove_selected_leaf(left, change);
    }
    index_pod(row);
    if (comes)
        note_followers(row, change);
    note_gang_of(pod);
}

void Cluster::State::remove(const PodRow& gone, Change& change) {
    const auto taken = pods.take(gone);
    auto& row = *taken;
    const auto& pod = row.pod;
    if (pod.membership)
        touch(pod, change);
    if (pod.occupies())
        node_index.remove_usage(pod.node, pod.pod_class.requests);
    if (!zonings.empty() && pod.occupies())
        forget_binding(pod);
    if (pod.occupies() || waits_for_victims(pod))
        change.may_free_room = true;
    leave_leaf(row);
    unindex_pod(row);
    strings.drop(row.labels);
    if (pod.membership) {
        touch(pod, change);
        remove_selected_leaf(pod.membership->leaf, change);
    }
    if (devices.keeps_any() && devices.keeps(pod.uid))
        apply_devices(devices.drop(pod.uid), change);
}

void Cluster::State::note_arrival(const Pod* before, const Pod& after, Change& change) const {
    const bool was_there = before != nullptr && affected.is_tracked(*before) && is_waiting(*before);
    if (!was_there && affected.is_tracked(after) && is_waiting(after))
        change.member_arrived = true;
    if (before == nullptr)
        return;
    const auto kept_for = [this](const Pod& pod) {
        return waits_for_victims(pod) && !affected.is_tracked(pod) ? pod.nominated_node : base::Text();
    };
    const auto kept = kept_for(*before);
    const auto has_now = after.occupies() ? after.node : kept_for(after);
    if ((!kept.empty() && kept != has_now) || (before->occupies() && !after.occupies()) || shrinks(*before, after))
        change.may_free_room = true;
}

// Members may have to go where such a pod is, and now one has come (D14).
void Cluster::State::note_followers(const PodRow& come, Change& change) const {
    if (come.pod.occupies() && affinity_terms.attracts_members(come.pod, strings.read(come.labels)))
        change.may_free_room = true;
}

void Cluster::State::note_moved(const base::Text& uid) {
    const bool is_noted = !moved_pods.empty() && moved_pods.back() == uid;
    if (!is_noted && moved_pods.size() <= MovedGroups::most)
        moved_pods.push_back(uid);
}

std::optional<std::vector<base::Text>> Cluster::State::take_moved_pods() {
    const auto groups = forest.take_moved();
    for (const auto& group : groups.value_or(std::vector<GroupKey>())) {
        const auto leaf = leaves.find(group);
        if (leaf == leaves.end())
            continue;
        for (const auto* row : leaf->second.ours()) {
            note_moved(row->pod.uid);
            if (moved_pods.size() > MovedGroups::most)
                break;
        }
    }
    auto uids = std::exchange(moved_pods, {});
    if (!groups || uids.size() > MovedGroups::most)
        return std::nullopt;
    return uids;
}

void Cluster::State::enter_leaf(PodRow& row) {
    const auto& pod = row.pod;
    if (!pod.membership)
        return;
    if (row.full_name.empty())
        row.full_name = pod.full_name();
    const bool is_ours = affected.is_tracked(pod);
    note_moved(pod.uid);
    leaves[pod.membership->leaf].add(row, is_ours);
    if (!pod.node.empty())
        members.add(pod.node, row);
    if (!is_ours)
        return;
    const auto& declared = pod.membership->declared;
    for (std::size_t at = 0, end = declared.size(); at < end; ++at) {
        forest.declare(declared.share(at), pod.created, declares(pod, declared[at]), name_for(declared[at], pod));
        late_pod_classes.renew(declared[at].key);
    }
    co_location.add(*pod.membership);
    affinity_terms.add_member(pod);
    ask_levels();
    if (holds_pod_class(pod)) {
        row.pod_class = node_index.intern(pod.pod_class);
        row.has_pod_class = true;
    }
}

void Cluster::State::leave_leaf(PodRow& row) {
    const auto& pod = row.pod;
    if (!pod.membership)
        return;
    const auto leaf = leaves.find(pod.membership->leaf);
    note_moved(pod.uid);
    leaf->second.remove(row);
    if (leaf->second.empty())
        leaves.erase(leaf);
    if (!pod.node.empty())
        members.remove(pod.node, row);
    if (!affected.is_tracked(pod))
        return;
    for (const auto& group : pod.membership->declared.values()) {
        forest.retract(group, pod.created, declares(pod, group), name_for(group, pod));
        late_pod_classes.renew(group.key);
    }
    co_location.remove(*pod.membership);
    affinity_terms.remove_member(pod);
    ask_levels();
    if (row.has_pod_class)
        node_index.drop(row.pod_class);
    row.has_pod_class = false;
}

// Without members of gangs, whose seats echelon decides.
void Cluster::State::note_nomination(const PodRow& row, bool comes) {
    const auto note = [&](PodsByNode& index, const std::string& node) {
        if (comes) {
            index.add(node, row);
        } else {
            index.remove(node, row);
        }
    };
    const auto& pod = row.pod;
    if (pod.occupies() && pod.deleting)
        note(leaving, pod.node);
    if (waits_for_victims(pod) && !affected.is_tracked(pod))
        note(nominated, pod.nominated_node);
}

// Indexes the pod for terms of other pods. `unindex_pod` undoes it, before anything about the pod changes.
void Cluster::State::index_pod(PodRow& row) {
    affinity_terms.add(row.pod);
    note_nomination(row, true);
    if (row.pod.occupies())
        occupants.add(row);
}

void Cluster::State::unindex_pod(PodRow& row) {
    affinity_terms.remove(row.pod);
    note_nomination(row, false);
    if (row.pod.occupies())
        occupants.remove(row);
}

}  // namespace echelon::model

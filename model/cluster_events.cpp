// How each event changes the cluster, and what it touches. No event depends on another one having come before.

#include "model/cluster_state.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace echelon::model {

namespace {

// May the pod hold a seat, now or once its node is known? Then the solver needs its shape.
bool holds_shape(const Pod& pod) {
    return !pod.deleting && !pod.is_finished() && (!pod.node.empty() || !pod.has_foreign_gate());
}

// A dead pod's declarations count only when no other member is left to make them.
bool is_alive(const Pod& pod) {
    return !pod.deleting && pod.phase != PodPhase::failed;
}

bool is_waiting(const Pod& pod) {
    return standing_of(pod, true) == Standing::waiting;
}

bool occupies_alike(const Pod& a, const Pod& b) {
    return a.occupies() == b.occupies() && a.node == b.node && a.shape.requests == b.shape.requests;
}

// Nothing that the leaf, the forest or the shapes keep differs.
bool belongs_alike(const Pod& a, const Pod& b) {
    return a.membership == b.membership && a.scheduler_name == b.scheduler_name && is_alive(a) == is_alive(b) &&
           holds_shape(a) == holds_shape(b) && a.created == b.created && a.node == b.node && a.shape == b.shape;
}

}  // namespace

void Cluster::State::on(const NodeSeen& event, Change& change) {
    on_node_news(event.node.name, landscape.see(event.node), change);
}

void Cluster::State::on(const NodeGone& event, Change& change) {
    on_node_news(event.name, landscape.forget(event.name), change);
}

void Cluster::State::on_node_news(const std::string& name, const NodeNews& news, Change& change) {
    if (news.is_changed)
        change.nodes.insert(name);
    change.may_free_room = change.may_free_room || news.may_free_room;
    if (news.knows_other_keys)
        touch_all(change);
    const auto members = members_on.find(name);
    if (!news.is_relabelled || members == members_on.end())
        return;
    for (const auto* row : members->second) {
        touch_root(row->pod, change);
    }
}

void Cluster::State::on(const PodSeen& event, Change& change) {
    const auto& pod = event.pod;
    const auto name = pod.full_name();
    if (const auto bearer = by_name.find(name); bearer != by_name.end() && bearer->second->pod.uid != pod.uid)
        remove(*bearer->second, change);

    const auto [found, is_new] = pods.try_emplace(pod.uid);
    auto& row = found->second;
    if (is_new) {
        note_arrival(nullptr, pod, change);
        row.pod = pod;
        by_name[name] = &row;
        if (pod.occupies())
            landscape.occupy(pod.node, pod.shape.requests);
        enter_leaf(row);
        return touch_root(pod, change);
    }
    if (row.pod == pod)
        return;
    touch_root(row.pod, change);
    note_arrival(&row.pod, pod, change);
    if (!occupies_alike(row.pod, pod)) {
        if (row.pod.occupies())
            landscape.vacate(row.pod.node, row.pod.shape.requests);
        if (pod.occupies())
            landscape.occupy(pod.node, pod.shape.requests);
    }
    if (belongs_alike(row.pod, pod)) {
        row.pod = pod;
    } else {
        leave_leaf(row);
        row.pod = pod;
        enter_leaf(row);
    }
    touch_root(pod, change);
}

void Cluster::State::on(const PodGone& event, Change& change) {
    if (const auto found = pods.find(event.uid); found != pods.end())
        remove(found->second, change);
}

void Cluster::State::remove(const PodRow& gone, Change& change) {
    auto row = pods.extract(gone.pod.uid);
    const auto& pod = row.mapped().pod;
    touch_root(pod, change);
    if (pod.occupies()) {
        landscape.vacate(pod.node, pod.shape.requests);
        change.may_free_room = true;
    }
    leave_leaf(row.mapped());
    if (const auto bearer = by_name.find(pod.full_name()); bearer != by_name.end() && bearer->second == &row.mapped())
        by_name.erase(bearer);
    touch_root(pod, change);
}

void Cluster::State::note_arrival(const Pod* before, const Pod& after, Change& change) const {
    const bool was_there = before != nullptr && takes_part(*before) && is_waiting(*before);
    if (!was_there && takes_part(after) && is_waiting(after))
        change.member_arrived = true;
    if (before != nullptr && before->occupies() && !after.occupies())
        change.may_free_room = true;
}

void Cluster::State::enter_leaf(PodRow& row) {
    const auto& pod = row.pod;
    if (!pod.membership)
        return;
    auto& leaf = leaves[pod.membership->leaf];
    (takes_part(pod) ? leaf.ours : leaf.foreign).insert(&row);
    if (!pod.node.empty())
        members_on[pod.node].insert(&row);
    if (!takes_part(pod))
        return;
    for (const auto& group : pod.membership->declared) {
        forest.declare(group, pod.created, is_alive(pod));
    }
    landscape.ask(forest.asked(), forest.asked_version());
    if (holds_shape(pod))
        row.shape = landscape.intern(pod.shape);
}

void Cluster::State::leave_leaf(PodRow& row) {
    const auto& pod = row.pod;
    if (!pod.membership)
        return;
    const auto leaf = leaves.find(pod.membership->leaf);
    leaf->second.ours.erase(&row);
    leaf->second.foreign.erase(&row);
    if (leaf->second.empty())
        leaves.erase(leaf);
    if (!pod.node.empty()) {
        const auto here = members_on.find(pod.node);
        here->second.erase(&row);
        if (here->second.empty())
            members_on.erase(here);
    }
    if (!takes_part(pod))
        return;
    for (const auto& group : pod.membership->declared) {
        forest.retract(group, pod.created, is_alive(pod));
    }
    landscape.ask(forest.asked(), forest.asked_version());
    if (row.shape)
        landscape.drop(*row.shape);
    row.shape.reset();
}

void Cluster::State::on(const GroupSeen& event, Change& change) {
    Change around;
    touch_around(event.group.key, around);
    if (!forest.see(event.group))
        return;
    landscape.ask(forest.asked(), forest.asked_version());
    change.gangs.merge(around.gangs);
    touch_around(event.group.key, change);
}

void Cluster::State::on(const GroupGone& event, Change& change) {
    Change around;
    touch_around(event.key, around);
    if (!forest.forget(event.key, event.uid))
        return;
    landscape.ask(forest.asked(), forest.asked_version());
    change.gangs.merge(around.gangs);
    touch_around(event.key, change);
}

void Cluster::State::on(const GroupSetSeen& event, Change& change) {
    Change before;
    auto keys = sets.keys_of(event.set.owner);
    std::ranges::move(keys_of(event.set), std::back_inserter(keys));
    for (const auto& key : keys) {
        touch_around(key, before);
    }
    after_set(sets.see(event.set, forest), before, change);
}

void Cluster::State::on(const GroupSetGone& event, Change& change) {
    Change before;
    for (const auto& key : sets.keys_of(event.owner)) {
        touch_around(key, before);
    }
    after_set(sets.forget(event.owner, event.uid, forest), before, change);
}

void Cluster::State::after_set(const std::vector<GroupKey>& touched, Change& before, Change& change) {
    if (touched.empty())
        return;
    landscape.ask(forest.asked(), forest.asked_version());
    change.gangs.merge(before.gangs);
    for (const auto& key : touched) {
        touch_around(key, change);
    }
}

void Cluster::State::on(const TopologySeen& event, Change& change) {
    if (!landscape.see(event.topology))
        return;
    change.may_free_room = true;
    touch_all(change);
}

void Cluster::State::on(const TopologyGone& event, Change& change) {
    if (!landscape.forget(event.source, event.api_kind, event.name))
        return;
    change.may_free_room = true;
    touch_all(change);
}

void Cluster::State::on(const PriorityClassSeen& event, Change& change) {
    const auto [known, is_new] = classes.try_emplace(event.name, event.value);
    if (!is_new && std::exchange(known->second, event.value) == event.value)
        return;
    touch_users_of_class(event.name, change);
}

void Cluster::State::on(const PriorityClassGone& event, Change& change) {
    if (classes.erase(event.name) > 0)
        touch_users_of_class(event.name, change);
}

void Cluster::State::touch_root(const Pod& pod, Change& change) const {
    if (pod.membership)
        change.gangs.insert(forest.root_of(pod.membership->leaf));
}

// A group may join trees: those that hang below it, and the one that it hangs in. Lists must agree with it.
void Cluster::State::touch_around(const GroupKey& key, Change& change) const {
    change.gangs.insert(forest.root_of(key));
    for (const auto& child : forest.children(key)) {
        change.gangs.insert(forest.root_of(child));
    }
    for (const auto& lister : forest.listers(key)) {
        change.gangs.insert(forest.root_of(lister));
    }
    if (const auto* group = forest.find(key)) {
        for (const auto& listed : group->listed) {
            change.gangs.insert(forest.root_of(listed));
        }
    }
}

void Cluster::State::touch_all(Change& change) const {
    for (const auto& key : forest.keys()) {
        change.gangs.insert(forest.root_of(key));
    }
}

void Cluster::State::touch_users_of_class(const std::string& name, Change& change) const {
    for (const auto& key : forest.keys()) {
        if (forest.find(key)->priority_class == name)
            change.gangs.insert(forest.root_of(key));
    }
}

}  // namespace echelon::model

// How group objects change the cluster: which trees they touch before and after.

#include "model/cluster_state.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace echelon::model {

void Cluster::State::on(const GroupSeen& event, Change& change) {
    Change around;
    touch_around(event.group.key, around);
    if (!forest.see(event.group))
        return;
    keep_late_shapes(event.group.key);
    ask_levels();
    sort_anew(event.group.key, change);
    change.gangs.merge(around.gangs);
    touch_around(event.group.key, change);
}

void Cluster::State::on(const GroupGone& event, Change& change) {
    Change around;
    touch_around(event.key, around);
    if (!forest.forget(event.key, event.uid))
        return;
    keep_late_shapes(event.key);
    ask_levels();
    sort_anew(event.key, change);
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
    for (const auto& key : touched) {
        keep_late_shapes(key);
    }
    ask_levels();
    change.gangs.merge(before.gangs);
    for (const auto& key : touched) {
        sort_anew(key, change);
        touch_around(key, change);
    }
}

// Of the group, and of those that it describes.
void Cluster::State::keep_late_shapes(const GroupKey& key) {
    keep_late_shape(key);
    for (const auto& described : forest.described(key)) {
        keep_late_shape(described);
    }
}

void Cluster::State::touch_declared(const Pod& pod, Change& change) const {
    if (!takes_part(pod) || std::ranges::none_of(pod.membership->declared, &Group::oldest_decides))
        return;
    for (const auto& group : pod.membership->declared)
        touch_around(group.key, change);
}

// A group may join trees: those that hang below it, and the one that it hangs in. Lists must agree with it.
void Cluster::State::touch_around(const GroupKey& key, Change& change) const {
    change.gangs.insert(forest.root_of(key));
    for (const auto& child : forest.children(key)) {
        change.gangs.insert(forest.root_of(child));
    }
    for (const auto* lister : forest.listers(key)) {
        change.gangs.insert(forest.root_of(*lister));
    }
    for (const auto& described : forest.described(key)) {
        change.gangs.insert(forest.root_of(described));
    }
    // Those that a list names and that name it, too, are its children; strangers that don't aren't touched.
    if (const auto* group = forest.find(key); group != nullptr && forest.lists_neighbours(*group)) {
        for (const auto& listed : group->listed) {
            change.gangs.insert(forest.root_of(listed));
        }
    }
}

}  // namespace echelon::model

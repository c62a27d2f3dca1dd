// Did an event of one pod leave the rest of the gang unchanged? Then only that pod has to be read again.

#include "model/cluster/cluster_state.hpp"

namespace echelon::model {

bool Cluster::State::Leaf::has_several_attempts() const {
    return attempts.size() + (without_attempt > 0 ? 1 : 0) > 1;
}

void Cluster::State::Leaf::forget_attempt(const std::string& attempt) {
    if (attempt.empty()) {
        --without_attempt;
    } else if (const auto known = attempts.find(attempt); known != attempts.end() && --known->second == 0) {
        attempts.erase(known);
    }
}

Cluster::State::Rest Cluster::State::rest_of(const std::string& uid) const {
    Rest rest{.forest = forest.version()};
    const auto found = pods.find(uid);
    if (found == pods.end() || !is_tracked((*found)->pod))
        return rest;
    const auto& pod = (*found)->pod;
    const auto leaf = leaves.find(pod.membership->leaf);
    const bool is_of_several = leaf != leaves.end() && leaf->second.has_several_attempts();
    rest.depends_on_pod = is_of_several || !pod.node.empty() || pod.phase == PodPhase::succeeded;
    return rest;
}

void Cluster::State::on(const PodSeen& event, Change& change) {
    const auto named = by_name.find(ByName::Name(event.pod.ns, event.pod.name));
    const bool is_known = named != by_name.end();
    const bool replaces = is_known && (*named)->pod.uid != event.pod.uid;
    const bool may_be_member = event.pod.membership || (is_known && (*named)->pod.membership);
    const auto before = may_be_member ? rest_of(event.pod.uid) : Rest{};
    if (replaces)
        remove(**named, change);
    see(event, change);
    if (!may_be_member || replaces)
        return;
    const auto after = rest_of(event.pod.uid);
    change.is_of_one_pod = before.forest == after.forest;
    change.keeps_running = change.is_of_one_pod && !before.depends_on_pod && !after.depends_on_pod;
}

void Cluster::State::on(const PodGone& event, Change& change) {
    const auto found = pods.find(event.uid);
    if (found == pods.end())
        return;
    if (!(*found)->pod.membership)
        return remove(**found, change);
    const auto before = rest_of(event.uid);
    remove(**found, change);
    change.is_of_one_pod = before.forest == forest.version();
    change.keeps_running = change.is_of_one_pod && !before.depends_on_pod;
}

}  // namespace echelon::model

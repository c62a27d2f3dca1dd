// Did an event of one pod leave the rest of the gang unchanged? Then only that pod has to be read again.

#include "model/cluster/cluster_state.hpp"

namespace echelon::model {

Cluster::State::Rest Cluster::State::rest_of(const std::string& uid) const {
    Rest rest{.forest = forest.version()};
    const auto* row = pods.find(uid);
    if (row == nullptr || !affected.is_tracked(row->pod))
        return rest;
    const auto& pod = row->pod;
    const auto leaf = leaves.find(pod.membership->leaf);
    const bool is_of_several = leaf != leaves.end() && leaf->second.has_several_attempts();
    rest.depends_on_pod = is_of_several || !pod.node.empty() || pod.phase == PodPhase::succeeded;
    return rest;
}

void Cluster::State::on(const PodSeen& event, Change& change) {
    const auto* named = pods.named(event.pod.ns, event.pod.name);
    const bool replaces = named != nullptr && named->pod.uid != event.pod.uid;
    const bool may_be_member = event.pod.membership || (named != nullptr && named->pod.membership);
    const auto before = may_be_member ? rest_of(event.pod.uid) : Rest{};
    if (replaces)
        remove(*named, change);
    see(event, change);
    if (!may_be_member || replaces)
        return;
    const auto after = rest_of(event.pod.uid);
    change.keeps_running = before.forest == after.forest && !before.depends_on_pod && !after.depends_on_pod;
}

void Cluster::State::on(const PodGone& event, Change& change) {
    const auto* row = pods.find(event.uid);
    if (row == nullptr)
        return;
    if (!row->pod.membership)
        return remove(*row, change);
    const auto before = rest_of(event.uid);
    remove(*row, change);
    change.keeps_running = before.forest == forest.version() && !before.depends_on_pod;
}

}  // namespace echelon::model

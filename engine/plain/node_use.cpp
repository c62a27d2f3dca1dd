#include "engine/plain/node_use.hpp"

namespace echelon::engine {

namespace {

bool uses_node(const model::Pod* pod) {
    return pod != nullptr && pod->occupies() && !pod->is_of_node;
}

}  // namespace

bool NodeUse::add(const model::Pod* pod, std::ptrdiff_t sign) {
    if (!uses_node(pod))
        return false;
    auto& count = pods_[pod->node];
    count += sign;
    if (count == 0)
        pods_.erase(pod->node);
    return true;
}

bool NodeUse::note(const model::Cluster& cluster, const model::Event& event) {
    if (const auto* seen = std::get_if<model::PodSeen>(&event)) {
        const auto* before = cluster.pod(seen->pod.uid);
        if (before == nullptr) {
            // The watch has missed the end of an older pod of this name.
            const auto* namesake = cluster.pod_named(seen->pod.ns, seen->pod.name);
            const bool is_less = add(namesake, -1);
            return add(&seen->pod, 1) || is_less;
        }
        if (uses_node(before) == uses_node(&seen->pod) && before->node == seen->pod.node)
            return false;
        const bool is_less = add(before, -1);
        return add(&seen->pod, 1) || is_less;
    }
    const auto* gone = std::get_if<model::PodGone>(&event);
    return gone != nullptr && add(cluster.pod(gone->uid), -1);
}

}  // namespace echelon::engine

#include "model/cluster/kept_parts.hpp"

#include <tuple>
#include <utility>

namespace echelon::model {

void keep_parts(const Pod& pod, Pod& kept) {
    kept = Pod(pod);  // A new copy allocates exactly; assignment may keep larger buffers.
    if (pod.membership || pod.node.empty())
        return;
    auto& [requests, node_selector, node_affinity, tolerations, alignment, devices] = kept.pod_class;
    node_selector.clear();
    node_affinity.reset();
    std::exchange(tolerations, {});
    alignment = {};
    devices = {};
}

bool is_kept(const Pod& pod, const Pod& kept) {
    if (pod.membership || kept.membership || pod.node.empty())
        return pod == kept;
    // Every field, in order.
    const auto parts = [](const Pod& of) {
        const auto& [uid, ns, name, scheduler, node, nominated, phase, deleting, has_terms, has_spread, preempts,
                     is_protected, is_of_node, is_unready, pod_class, terms, gates, priority, created, started, ended,
                     deadline, job, membership, plan] = of;
        return std::tie(uid, ns, name, scheduler, node, nominated, phase, deleting, has_terms, has_spread, preempts,
                        is_protected, is_of_node, is_unready, pod_class.requests, terms, gates, priority, created,
                        started, ended, deadline, job, plan);
    };
    return parts(pod) == parts(kept);
}

}  // namespace echelon::model

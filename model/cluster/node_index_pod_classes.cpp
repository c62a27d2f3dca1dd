// Which nodes may host the pods of each class? Rows of the snapshot, one for each class.

#include "model/cluster/node_index.hpp"
#include "model/facts/eligibility.hpp"
#include "model/facts/host_ports.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace echelon::model {

namespace {

constexpr std::size_t fetched_ahead = 16;  // Nodes.

// What `may_host` reads of every node.
template <typename Place>
void fetch(const Place& place) {
    __builtin_prefetch(&place.labels);
    __builtin_prefetch(&place.taints);
    __builtin_prefetch(&place.deleting);
}

}  // namespace

bool NodeIndex::is_eligible(const NodeView& node, std::size_t pod_class) const {
    return fits_none_[pod_class] == 0 && may_host(node, flat_.pod_classes[pod_class]);
}

void NodeIndex::write_eligibility(const NodeView& node, NodeId id) {
    if (id == nowhere)
        return;
    note_written(written_.hosts, id);
    flat_.usable[id] = node.usable ? 1 : 0;
    for (std::size_t pod_class = 0; pod_class < flat_.pod_classes.size(); ++pod_class) {
        flat_.eligible[pod_class][id] = is_eligible(node, pod_class) ? 1 : 0;
    }
}

bool NodeIndex::lists_all(const PodClass& pod_class) const {
    return std::ranges::all_of(pod_class.requests.entries(), [this](const Amounts::Entry& amount) {
        return std::ranges::binary_search(flat_.resources, amount.first) || is_host_port(amount.first) ||
               uncounted_shares_.contains(amount.first);
    });
}

// Classes are sorted, so that ids don't depend on arrival. Known rows of eligibility are kept.
void NodeIndex::rebuild_pod_classes() {
    auto before = std::exchange(flat_.eligible, {});
    const auto none_before = std::exchange(fits_none_, {});
    flat_.pod_classes.clear();
    flat_.need.clear();
    std::vector<PodClassId> unknown;
    for (auto& [pod_class, use] : pod_classes_) {
        const bool fits_none = !lists_all(pod_class);
        const bool is_known = use.id != nowhere && (none_before[use.id] != 0) == fits_none;
        flat_.eligible.push_back(is_known ? std::move(before[use.id]) : std::vector<std::uint8_t>{});
        fits_none_.push_back(fits_none ? 1 : 0);
        use.id = static_cast<PodClassId>(flat_.pod_classes.size());
        if (!is_known)
            unknown.push_back(use.id);
        flat_.pod_classes.push_back(pod_class);
        auto& need = flat_.need.emplace_back();
        for (const auto& name : flat_.resources) {
            need.push_back(bounded(pod_class.requests.of(name)));
        }
    }
    fill_eligibility(unknown);
    are_pod_classes_stale_ = false;
    written_.are_pod_classes = true;
}

// To look at a node is a miss of the caches, so nodes are fetched some places ahead. Classes that differ in their
// requests alone share the answers.
void NodeIndex::fill_eligibility(const std::vector<PodClassId>& unknown) {
    if (unknown.empty())
        return;
    const auto is_less = [](const PodClass* a, const PodClass* b) {
        return std::tie(a->node_selector, a->node_affinity, a->tolerations) <
               std::tie(b->node_selector, b->node_affinity, b->tolerations);
    };
    std::map<const PodClass*, PodClassId, decltype(is_less)> filled;
    for (PodClassId id = 0; id < flat_.pod_classes.size(); ++id) {
        if (fits_none_[id] == 0 && !flat_.eligible[id].empty())
            filled.emplace(&flat_.pod_classes[id], id);
    }
    for (const auto id : unknown) {
        auto& row = flat_.eligible[id];
        const auto& pod_class = flat_.pod_classes[id];
        if (const auto alike = filled.find(&pod_class); fits_none_[id] == 0 && alike != filled.end()) {
            row = flat_.eligible[alike->second];
            continue;
        }
        row.resize(node_count_);
        if (fits_none_[id] != 0)
            continue;
        for (std::size_t at = 0; at < by_name_.size(); ++at) {
            if (at + fetched_ahead < by_name_.size())
                fetch(by_name_[at + fetched_ahead]->second);
            const auto& known = *by_name_[at];
            row[id_in(known.second)] = may_host(view_of(known), pod_class) ? 1 : 0;
        }
        filled.emplace(&pod_class, id);
    }
}

}  // namespace echelon::model

// Which nodes may host the pods of each class? Rows of the snapshot, one for each class.

#include "model/cluster/node_index.hpp"
#include "model/facts/eligibility.hpp"
#include "model/facts/host_ports.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace echelon::model {

bool NodeIndex::is_eligible(const NodeView& node, std::size_t shape) const {
    return fits_none_[shape] == 0 && may_host(node, flat_.shapes[shape]);
}

void NodeIndex::write_eligibility(const NodeView& node, NodeId id) {
    if (id == nowhere)
        return;
    note_written(written_.hosts, id);
    flat_.usable[id] = node.usable ? 1 : 0;
    for (std::size_t shape = 0; shape < flat_.shapes.size(); ++shape) {
        flat_.eligible[shape][id] = is_eligible(node, shape) ? 1 : 0;
    }
}

bool NodeIndex::lists_all(const PodClass& shape) const {
    return std::ranges::all_of(shape.requests.entries(), [this](const Amounts::Entry& amount) {
        return std::ranges::binary_search(flat_.resources, amount.first) || is_host_port(amount.first) ||
               uncounted_shares_.contains(amount.first);
    });
}

// Classes are sorted, so that ids don't depend on arrival. Known rows of eligibility are kept.
void NodeIndex::rebuild_shapes() {
    auto before = std::exchange(flat_.eligible, {});
    const auto none_before = std::exchange(fits_none_, {});
    flat_.shapes.clear();
    flat_.need.clear();
    std::vector<PodClassId> unknown;
    for (auto& [shape, use] : shapes_) {
        const bool fits_none = !lists_all(shape);
        const bool is_known = use.id != nowhere && (none_before[use.id] != 0) == fits_none;
        flat_.eligible.push_back(is_known ? std::move(before[use.id]) : std::vector<std::uint8_t>{});
        fits_none_.push_back(fits_none ? 1 : 0);
        use.id = static_cast<PodClassId>(flat_.shapes.size());
        if (!is_known)
            unknown.push_back(use.id);
        flat_.shapes.push_back(shape);
        auto& need = flat_.need.emplace_back();
        for (const auto& name : flat_.resources) {
            need.push_back(bounded(shape.requests.of(name)));
        }
    }
    fill_eligibility(unknown);
    are_shapes_stale_ = false;
    written_.are_shapes = true;
}

// To look at a node is a miss of the caches. Classes that differ in their requests alone share the answers.
void NodeIndex::fill_eligibility(const std::vector<PodClassId>& unknown) {
    if (unknown.empty())
        return;
    const auto is_less = [](const PodClass* a, const PodClass* b) {
        return std::tie(a->node_selector, a->node_affinity, a->tolerations) <
               std::tie(b->node_selector, b->node_affinity, b->tolerations);
    };
    std::map<const PodClass*, PodClassId, decltype(is_less)> filled;
    for (PodClassId id = 0; id < flat_.shapes.size(); ++id) {
        if (fits_none_[id] == 0 && !flat_.eligible[id].empty())
            filled.emplace(&flat_.shapes[id], id);
    }
    for (const auto id : unknown) {
        auto& row = flat_.eligible[id];
        const auto& shape = flat_.shapes[id];
        if (const auto alike = filled.find(&shape); fits_none_[id] == 0 && alike != filled.end()) {
            row = flat_.eligible[alike->second];
            continue;
        }
        row.resize(node_count_);
        if (fits_none_[id] != 0)
            continue;
        for (const auto* known : by_name_)
            row[id_in(known->second)] = may_host(view_of(*known), shape) ? 1 : 0;
        filled.emplace(&shape, id);
    }
}

}  // namespace echelon::model

#pragma once

// Which pods are known, by UID and by name?
//
// At most one pod has a name: take the former one before you add the next.

#include "base/flat_table.hpp"
#include "base/hashed.hpp"
#include "base/text.hpp"
#include "model/cluster/node_index.hpp"
#include "model/facts/pod.hpp"
#include "model/facts/string_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace echelon::model {

struct PodRow {
    // For a bound pod without a membership, `pod_class` has only requests; nothing else is needed.
    Pod pod;
    base::Text full_name;  // "namespace/name"; empty before it is a member.
    StringPool::LabelEntry labels;
    NodeIndex::PodClassEntry
        pod_class;                    // Only if `has_pod_class`. A std::optional would cost eight bytes more per pod.
    std::uint32_t place = 0;          // Index in `Occupants`, while it occupies a node.
    std::uint32_t place_in_leaf = 0;  // Index in `LeafPods`, while a leaf has it.
    bool has_pod_class = false;
    bool is_named_by_group = false;  // Its membership comes from a group, not from the pod.
};

class PodRows {
public:
    // Null: unknown. A row stays where it is until it is taken.
    [[nodiscard]] PodRow* find(base::Hashed uid) const {
        const auto* found = rows_.find(uid.hash(), [&](const auto& row) { return row->pod.uid == uid; });
        return found == nullptr ? nullptr : found->get();
    }
    [[nodiscard]] PodRow* named(std::string_view ns, std::string_view name) const {
        const auto is_named = [&](const PodRow* row) { return row->pod.name == name && row->pod.ns == ns; };
        const auto* found = by_name_.find(name_hash(ns, name), is_named);
        return found == nullptr ? nullptr : *found;
    }
    // Requires: no pod of this UID or name is known.
    PodRow& add(std::unique_ptr<PodRow> row) {
        auto& here = *row;
        rows_.insert(base::hash_of(here.pod.uid), std::move(row));
        by_name_.insert(name_hash(here.pod.ns, here.pod.name), &here);
        return here;
    }
    std::unique_ptr<PodRow> take(const PodRow& row) {
        const auto is_it = [&](const auto& other) { return &*other == &row; };
        by_name_.take(name_hash(row.pod.ns, row.pod.name), is_it);
        return rows_.take(base::hash_of(row.pod.uid), is_it);
    }
    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    // In no particular order.
    [[nodiscard]] auto begin() const { return rows_.begin(); }
    [[nodiscard]] auto end() const { return rows_.end(); }

private:
    // By the pod's own texts, so that no name is stored twice.
    template <typename Name>
    static std::size_t name_hash(const Name& ns, const Name& name) {
        return base::hash_of(ns) * 31 + base::hash_of(name);
    }

    base::FlatTable<std::unique_ptr<PodRow>> rows_;
    base::FlatTable<PodRow*> by_name_;
};

}  // namespace echelon::model

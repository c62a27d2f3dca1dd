#pragma once

// Which pods are known, by UID and by name?
//
// At most one pod has a name: take the former one before you add the next.

#include "model/cluster/node_index.hpp"
#include "model/facts/pod.hpp"
#include "model/facts/string_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace echelon::model {

struct PodRow {
    // For a bound pod without a membership, `shape` has only requests; nothing else is needed.
    Pod pod;
    StringPool::LabelEntry labels;
    NodeIndex::Shape shape;   // Only if `has_shape`. A std::optional would cost eight bytes more per pod.
    std::uint32_t place = 0;  // Index in `Occupants`, while it occupies a node.
    bool has_shape = false;
    bool is_named_by_group = false;  // Its membership comes from a group, not from the pod.
};

class PodRows {
    // Hash and equality by the pod's own text, so that no name is stored twice.
    struct ByUid {
        using is_transparent = void;
        static std::string_view key(std::string_view uid) { return uid; }
        static std::string_view key(const std::unique_ptr<PodRow>& row) { return row->pod.uid; }
        std::size_t operator()(const auto& of) const { return std::hash<std::string_view>()(key(of)); }
        bool operator()(const auto& a, const auto& b) const { return key(a) == key(b); }
    };
    struct ByName {
        using is_transparent = void;
        using Name = std::pair<std::string_view, std::string_view>;  // Namespace and name.
        static Name key(const Name& name) { return name; }
        static Name key(const PodRow* row) { return {row->pod.ns, row->pod.name}; }
        std::size_t operator()(const auto& of) const {
            const auto [ns, name] = key(of);
            return std::hash<std::string_view>()(ns) * 31 + std::hash<std::string_view>()(name);
        }
        bool operator()(const auto& a, const auto& b) const { return key(a) == key(b); }
    };

public:
    // Null: unknown. A row stays where it is until it is taken.
    [[nodiscard]] PodRow* find(std::string_view uid) const {
        const auto found = rows_.find(uid);
        return found == rows_.end() ? nullptr : found->get();
    }
    [[nodiscard]] PodRow* named(std::string_view ns, std::string_view name) const {
        const auto found = by_name_.find(ByName::Name(ns, name));
        return found == by_name_.end() ? nullptr : *found;
    }
    // Requires: no pod of this UID or name is known.
    PodRow& add(std::unique_ptr<PodRow> row) {
        auto& here = **rows_.insert(std::move(row)).first;
        by_name_.insert(&here);
        return here;
    }
    std::unique_ptr<PodRow> take(const PodRow& row) {
        if (const auto bearer = by_name_.find(ByName::key(&row)); bearer != by_name_.end() && *bearer == &row)
            by_name_.erase(bearer);
        return std::move(rows_.extract(rows_.find(std::string_view(row.pod.uid))).value());
    }
    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    // In no particular order.
    [[nodiscard]] auto begin() const { return rows_.begin(); }
    [[nodiscard]] auto end() const { return rows_.end(); }

private:
    std::unordered_set<std::unique_ptr<PodRow>, ByUid, ByUid> rows_;
    std::unordered_set<PodRow*, ByName, ByName> by_name_;
};

}  // namespace echelon::model

#pragma once

// Which of some pods belong to a node: run there, leave it, or are nominated to it?

#include "model/cluster/pod_rows.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace echelon::model {

class PodsByNode {
public:
    using Rows = std::unordered_set<const PodRow*>;

    void add(const std::string& node, const PodRow& row) { rows_[node].insert(&row); }
    // No effect if the pod isn't there.
    void remove(const std::string& node, const PodRow& row) {
        const auto here = rows_.find(node);
        if (here == rows_.end() || here->second.erase(&row) == 0 || !here->second.empty())
            return;
        rows_.erase(here);
    }
    // In no particular order; null: none.
    [[nodiscard]] const Rows* on(const std::string& node) const {
        const auto here = rows_.find(node);
        return here == rows_.end() ? nullptr : &here->second;
    }
    // The nodes with such pods, by name.
    [[nodiscard]] std::vector<std::string> nodes() const {
        std::vector<std::string> names;
        names.reserve(rows_.size());
        for (const auto& [node, rows] : rows_)
            names.push_back(node);
        std::ranges::sort(names);
        return names;
    }

private:
    std::unordered_map<std::string, Rows> rows_;
};

}  // namespace echelon::model

#pragma once

// Which pods occupy a node, namespace by namespace? For terms of pod (anti-)affinity (D14).

#include "model/cluster/pod_rows.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace echelon::model {

class Occupants {
public:
    using Rows = std::vector<PodRow*>;

    void add(PodRow& row) {
        auto& here = rows_[row.pod.ns];
        row.place = static_cast<std::uint32_t>(here.size());
        here.push_back(&row);
    }
    // Requires: the row was added, and its namespace is the same. Costs the same however many pods there are.
    void remove(const PodRow& row) {
        const auto here = rows_.find(row.pod.ns);
        here->second.back()->place = row.place;
        here->second[row.place] = here->second.back();
        here->second.pop_back();
        if (here->second.empty())
            rows_.erase(here);
    }
    // In no particular order; null: none.
    [[nodiscard]] const Rows* in(const std::string& ns) const {
        const auto here = rows_.find(ns);
        return here == rows_.end() ? nullptr : &here->second;
    }
    [[nodiscard]] const std::unordered_map<std::string, Rows>& by_namespace() const { return rows_; }

private:
    std::unordered_map<std::string, Rows> rows_;
};

}  // namespace echelon::model

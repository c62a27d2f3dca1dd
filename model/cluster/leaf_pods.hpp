#pragma once

// Which pods name one leaf?

#include "model/cluster/pod_rows.hpp"

#include <cstdint>
#include <vector>

namespace echelon::model {

class LeafPods {
public:
    using Rows = std::vector<PodRow*>;  // [PodRow::place_in_leaf]

    // `is_ours`: of a profile with gangs or levels. Requires: the leaf doesn't have the pod.
    void add(PodRow& row, bool is_ours) {
        auto& rows = is_ours ? ours_ : foreign_;
        row.place_in_leaf = static_cast<std::uint32_t>(rows.size());
        rows.push_back(&row);
    }
    void remove(const PodRow& row) {
        const auto place = row.place_in_leaf;
        auto& rows = place < ours_.size() && ours_[place] == &row ? ours_ : foreign_;
        rows[place] = rows.back();
        rows[place]->place_in_leaf = place;
        rows.pop_back();
    }

    // In no particular order.
    [[nodiscard]] const Rows& ours() const { return ours_; }
    // Pods of other schedulers, or of a profile without gangs and levels.
    [[nodiscard]] const Rows& foreign() const { return foreign_; }
    [[nodiscard]] bool empty() const { return ours_.empty() && foreign_.empty(); }

private:
    Rows ours_;
    Rows foreign_;
};

}  // namespace echelon::model

#pragma once

// Which pods name one leaf?

#include "model/cluster/pod_rows.hpp"

#include <unordered_set>

namespace echelon::model {

class LeafPods {
public:
    // `is_ours`: of a profile with gangs or levels.
    void add(const PodRow& row, bool is_ours) { (is_ours ? ours_ : foreign_).insert(&row); }
    void remove(const PodRow& row) {
        if (ours_.erase(&row) == 0)
            foreign_.erase(&row);
    }

    [[nodiscard]] const std::unordered_set<const PodRow*>& ours() const { return ours_; }
    // Pods of other schedulers, or of a profile without gangs and levels.
    [[nodiscard]] const std::unordered_set<const PodRow*>& foreign() const { return foreign_; }
    [[nodiscard]] bool empty() const { return ours_.empty() && foreign_.empty(); }

private:
    std::unordered_set<const PodRow*> ours_;
    std::unordered_set<const PodRow*> foreign_;
};

}  // namespace echelon::model

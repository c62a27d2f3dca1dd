#pragma once

// Which pods name one leaf, and of which attempts are they (M1)?

#include "model/cluster/pod_rows.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <unordered_set>

namespace echelon::model {

class LeafPods {
public:
    // `is_ours`: of a profile with gangs or levels.
    void add(const PodRow& row, bool is_ours);
    void remove(const PodRow& row);

    [[nodiscard]] const std::unordered_set<const PodRow*>& ours() const { return ours_; }
    // Pods of other schedulers, or of a profile without gangs and levels.
    [[nodiscard]] const std::unordered_set<const PodRow*>& foreign() const { return foreign_; }
    [[nodiscard]] bool empty() const { return ours_.empty() && foreign_.empty(); }
    // Of `ours` alone.
    [[nodiscard]] bool has_several_attempts() const { return attempts_.size() + (without_attempt_ > 0 ? 1 : 0) > 1; }

private:
    std::unordered_set<const PodRow*> ours_;
    std::unordered_set<const PodRow*> foreign_;
    std::map<std::string, std::size_t> attempts_;  // Attempt -> how many of `ours`.
    std::size_t without_attempt_ = 0;              // How many of `ours` have none; most pods.
};

}  // namespace echelon::model

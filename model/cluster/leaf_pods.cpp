#include "model/cluster/leaf_pods.hpp"

#include "model/gang/gang_facts.hpp"

namespace echelon::model {

void LeafPods::add(const PodRow& row, bool is_ours) {
    (is_ours ? ours_ : foreign_).insert(&row);
    if (!is_ours)
        return;
    const auto& attempt = row.pod.membership->attempt;
    if (attempt.empty()) {
        ++without_attempt_;
    } else if (attempt != any_attempt) {
        ++attempts_[attempt];
    }
}

void LeafPods::remove(const PodRow& row) {
    if (ours_.erase(&row) == 0) {
        foreign_.erase(&row);
        return;
    }
    const auto& attempt = row.pod.membership->attempt;
    if (attempt.empty()) {
        --without_attempt_;
    } else if (const auto known = attempts_.find(attempt); known != attempts_.end() && --known->second == 0) {
        attempts_.erase(known);
    }
}

}  // namespace echelon::model

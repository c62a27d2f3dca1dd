#include "kube/write/plan_precedence.hpp"

#include <algorithm>

namespace echelon::kube {

// An echelon that has read a record continues its epochs, so a higher epoch knows the record.
bool may_replace(const model::PlanRecord& there, const model::PlanRecord& record) {
    const bool is_of_this_gang = there.root == record.root && there.owner_uid == record.owner_uid;
    if (there.phase != model::Phase::clearing || !is_of_this_gang)
        return true;
    if (record.phase != model::Phase::clearing)
        return record.epoch >= there.epoch;
    return std::ranges::all_of(record.victims, [&](const model::RecordedVictim& victim) {
        return std::ranges::find(there.victims, victim.uid, &model::RecordedVictim::uid) != there.victims.end();
    });
}

}  // namespace echelon::kube

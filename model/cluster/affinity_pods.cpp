#include "model/cluster/affinity_pods.hpp"

namespace echelon::model {

AffinityPods::AffinityPods(const KnownPods& known, std::span<const ExpectedPod> elsewhere, const Gang& gang)
    : known_(known) {
    for (const auto& member : gang.members) {
        members_.push_back(known.rows.find(member.uid));
        if (members_.back() != nullptr)
            own_.insert(members_.back());
    }
    for (const auto& placed : elsewhere) {
        const auto* row = known.rows.find(placed.uid);
        if (row != nullptr && !row->pod.occupies() && !own_.contains(row))
            elsewhere_.emplace_back(row, placed.node);
    }
}

void AffinityPods::leave_out(const RunningGangs& running) {
    left_out_ = own_;
    for (const auto& other : running.gangs) {
        for (const auto& pod : other.pods) {
            if (const auto* row = known_.rows.find(pod.uid); row != nullptr)
                left_out_.insert(row);
        }
    }
}

bool AffinityPods::is_carried(const PodTerm& term) const {
    const auto& nodes = known_.terms.apart().find(term)->second;
    return !nodes.rbegin()->first.empty() ||
           std::ranges::any_of(elsewhere_, [&term](const auto& placed) { return carries(*placed.first, term); });
}

}  // namespace echelon::model

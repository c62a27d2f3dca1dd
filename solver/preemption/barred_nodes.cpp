#include "solver/preemption/barred_nodes.hpp"

#include <algorithm>
#include <set>

namespace echelon::solver::preemption {
namespace {

void bar(const model::Gang& gang, const model::KeptAway& away, std::vector<std::vector<std::uint8_t>>& barred) {
    const std::vector<std::uint32_t>& value_of = gang.affinity.topology_keys[away.topology_key].of;
    std::vector<std::uint8_t>& row = barred[away.affinity_class];
    row.resize(value_of.size(), 0);
    for (std::size_t node = 0; node < value_of.size(); ++node) {
        if (value_of[node] == away.value) {
            row[node] = 1;
        }
    }
}

}  // namespace

BarredNodes::BarredNodes(const model::Gang& gang, const model::RunningGangs& running, const Candidates& candidates)
    : gang_(gang), barred_(running.barred_anyway) {
    if (barred_.empty()) {
        return;
    }
    std::set<const model::RunningPod*> may_go;
    for (PodNumber number = 0; number < candidates.pod_count(); ++number) {
        const model::RunningPod& pod = candidates.facts(number);
        if (candidates.pod(number).units.empty()) {
            continue;
        }
        may_go.insert(&pod);
        for (const model::KeptAway& away : pod.keeps_away) {
            leaving_.emplace_back(away, number);
        }
    }
    std::set<model::KeptAway> staying;
    for (const model::RunningGang& other : running.gangs) {
        for (const model::RunningPod& pod : other.pods) {
            if (!pod.keeps_away.empty() && !may_go.contains(&pod)) {
                staying.insert(pod.keeps_away.begin(), pod.keeps_away.end());
            }
        }
    }
    for (const model::KeptAway& away : staying) {
        bar(gang_, away, barred_);
    }
    std::ranges::sort(leaving_);
}

model::Gang BarredNodes::gang_without(std::span<const PodNumber> gone) const {
    model::Gang gang = gang_;
    if (!may_change()) {
        return gang;
    }
    gang.affinity.barred = barred_;
    const model::KeptAway* last = nullptr;
    for (const auto& [away, pod] : leaving_) {
        const bool is_barred = last != nullptr && *last == away;
        if (!is_barred && !std::ranges::binary_search(gone, pod)) {
            bar(gang, away, gang.affinity.barred);
            last = &away;
        }
    }
    return gang;
}

}  // namespace echelon::solver::preemption

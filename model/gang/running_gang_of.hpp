#pragma once

// Which pods of a gang are evicted together? The running gang that its facts describe (U1, U2).
//
// Pure.

#include "model/gang/gang_facts.hpp"
#include "model/gang/running_gang.hpp"

#include <functional>
#include <optional>

namespace echelon::model {

// `running_pod(group, pod)` is asked for each bound pod of each leaf; nullopt leaves the pod out. Without name, kind
// and priority.
[[nodiscard]] RunningGang running_gang_of(
    const GangFacts& facts,
    const std::function<std::optional<RunningPod>(const GroupFacts& group, const PodFacts& pod)>& running_pod);

}  // namespace echelon::model

#include "kube/watch/broken_kinds.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace echelon::kube {

namespace {

// API groups whose objects define the gang, or levels that a gang names. Pods of Gangs and DisaggregatedSets state a
// gang themselves, without its other parts, so those kinds are waited for. Kinds of Kubernetes are never broken alone.
constexpr std::array<std::string_view, 13> groups = {
    "scheduler.grove.io",
    "scheduling.run.ai",
    "scheduling.sigs.k8s.io",
    "scheduling.x-k8s.io",
    "scheduling.volcano.sh",
    "jobset.x-k8s.io",
    "leaderworkerset.x-k8s.io",
    "workloads.x-k8s.io",
    "kueue.x-k8s.io",
    "kai.scheduler",
    "grove.io",
    "scheduling.koordinator.sh",
    "topology.volcano.sh",
};

}  // namespace

bool may_be_broken(const WatchedKind& kind) {
    return !kind.is_needed && std::ranges::find(groups, kind.group) != groups.end();
}

}  // namespace echelon::kube

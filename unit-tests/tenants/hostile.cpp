// The table: how large each growth is here. Most are far beyond the limits, some are at a limit.

#include "unit-tests/tenants/hostile.hpp"

#include "unit-tests/big_objects/growth.hpp"

#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

namespace echelon::tenants {
namespace {

struct Grown {
    std::string_view growth;
    std::int64_t count;
};

constexpr std::int64_t int32 = 2'147'483'647;

constexpr std::array grown = {
    Grown{"upstream/pods", 8'000},
    Grown{"upstream/children", 4'200},
    Grown{"upstream/chain", 2'000},
    Grown{"upstream/cycle", 2'000},
    Grown{"upstream/gangs", 4'000},
    Grown{"upstream/constraints", 30'000},
    Grown{"upstream/templates", 11'000},
    Grown{"upstream/replica-keys", 4'000},
    Grown{"upstream/template-depth", 3'000},
    Grown{"volcano/pods", 5'000},
    Grown{"volcano/tasks", 11'000},
    Grown{"volcano/policies", 6'000},
    Grown{"volcano/expressions", 30'000},
    Grown{"volcano/values", 100'000},
    Grown{"volcano/label-keys", 100'000},
    Grown{"volcano/partitions", 5'000},
    Grown{"koordinator/pods", 5'000},
    Grown{"koordinator/listed", 11'000},
    Grown{"koordinator/mutual", 800},
    Grown{"koordinator/overlapping", 600},
    Grown{"koordinator/overlapping-pods", 600},
    Grown{"koordinator/annotated-pods", 3'000},
    Grown{"koordinator/nested-list", 130'000},
    Grown{"koordinator/open-list", 260'000},
    Grown{"koordinator/nested-spec", 10'000},
    Grown{"koordinator/nested-strategy", 130'000},
    Grown{"koordinator/gathered", 10'000},
    Grown{"koordinator/total-number", int32},
    Grown{"kai/pods", 5'000},
    Grown{"kai/fan", 11'000},
    Grown{"kai/chain", 2'000},
    Grown{"kai/cycle", 4'000},
    Grown{"kai/twins", 11'000},
    Grown{"kai/strangers", 5'000},
    Grown{"grove/podgroups", 20'000},
    Grown{"grove/references", 20'001},
    Grown{"grove/config", 11'000},
    Grown{"grove/configs", 8'000},
    Grown{"grove/contested", 11'000},
    Grown{"grove/minimum", int32},
    Grown{"kueue/pod-sets", 8'000},
    Grown{"kueue/count", int32},
    Grown{"kueue/slices", int32},
    Grown{"kueue/nested-slices", 130'000},
    Grown{"kueue/nested-on-pod", 130'000},
    Grown{"kueue/nested-size", 130'000},
    Grown{"kueue/slice-levels", 5'000},
    Grown{"kueue/group-total", int32},
    Grown{"kueue/assignments", 20'000},
    Grown{"jobset/replicated-jobs", 4'000},
    Grown{"jobset/replicas", int32},
    Grown{"jobset/parallelism", int32},
    Grown{"jobset/heavy-templates", 4'092},
    Grown{"jobset/heavy-selectors", 90'000},
    Grown{"jobset/groups", 4'000},
    Grown{"jobset/depends-on", 4'000},
    Grown{"jobset/stages", 4'000},
    Grown{"jobset/status-rows", 20'000},
    Grown{"leaderworkerset/size", int32},
    Grown{"leaderworkerset/size-of-pod", int32},
    Grown{"leaderworkerset/sizes-of-pods", 300},
    Grown{"leaderworkerset/parts", 10'000},
    Grown{"leaderworkerset/parts", int32},
    Grown{"leaderworkerset/pods-of-parts", 500},
    Grown{"leaderworkerset/pods", 3'000},
    Grown{"disaggregatedset/roles", 8'000},
    Grown{"disaggregatedset/role-pods", 1'000},
    Grown{"rolebasedgroup/roles", 8'000},
    Grown{"rolebasedgroup/replicas", int32},
    Grown{"rolebasedgroup/instances", 1'000},
    Grown{"gang/pods", 5'000},
    Grown{"gang/groups", 11'000},
    Grown{"gang/depth", 2'000},
    Grown{"gang/replicas", int32},
    Grown{"gang/doubled", 40},
    Grown{"gang/selected-replicas", 4'094},
    Grown{"gang/expected-pods", int32},
    Grown{"gang/multiples", 30'000},
    Grown{"gang/long-level", 220'000},
    Grown{"labels/groups", 5'000},
    Grown{"labels/limited", 600},
    Grown{"labels/limited", 4'000},
    Grown{"labels/paired", 600},
    Grown{"labels/paired", 4'000},
    Grown{"labels/disagreeing", 3'000},
    Grown{"gangplan/seats", 10'000},
    Grown{"gangplan/groups", 10'000},
    Grown{"gangplan/message", 1'000'000},
    Grown{"scheduler-plugins/pods", 5'000},
    Grown{"scheduler-plugins/minimum", int32},
    Grown{"pod/containers", 10'000},
    Grown{"pod/resources", 9'000},
    Grown{"pod/unlike-resources", 2'000},
    Grown{"pod/unlike-sizes", 72},
    Grown{"pod/unlike-sizes", 96},
    Grown{"pod/tolerations", 15'000},
    Grown{"pod/node-selector", 15'000},
    Grown{"pod/node-terms", 15'000},
    Grown{"pod/topology-keys", 5'000},
    Grown{"pod/expressions", 20'000},
    Grown{"pod/namespaces", 50'000},
    Grown{"pod/apart", 500},
    Grown{"pod/gates", 15'000},
    Grown{"pod/labels", 15'000},
    Grown{"pod/annotations", 260'000},
    Grown{"pod/owners", 10'000},
    Grown{"pod/long-value", 220'000},
    Grown{"pod/tiny-gangs", 4'000},
    Grown{"pod/priorities", 4'000},
    Grown{"claim/selectors", 1'800},
    Grown{"claim/requests", 256},
    Grown{"claim/pods", 300},
    Grown{"node/labels", 15'000},
    Grown{"node/resources", 9'000},
    Grown{"node/taints", 15'000},
    Grown{"hypernode/names", 20'000},
    Grown{"hypernode/patterns", 10'000},
    Grown{"hypernode/repetitions", 300},
    Grown{"hypernode/long-pattern", 1'000'000},
    Grown{"hypernode/labels", 20'000},
    Grown{"hypernode/chain", 1'000},
    Grown{"hypernode/cycle", 1'000},
    Grown{"kueue-topology/levels", 5'000},
    Grown{"kueue-topology/many", 500},
    Grown{"kai-topology/levels", 5'000},
    Grown{"grove-topology/levels", 5'000},
    Grown{"koordinator-topology/layers", 5'000},
    Grown{"koordinator-topology/labels", 20'000},
    Grown{"topograph/instances", 15'000},
    Grown{"topograph/layers", 5'000},
    Grown{"topograph/switches", 5'000},
    Grown{"topograph/range", int32},
    Grown{"topograph/blocks", 20'000},
};

}  // namespace

std::vector<Hostile> hostile_inputs() {
    std::vector<Hostile> out;
    for (const Grown& row : grown) {
        out.push_back({std::string(row.growth) + " " + std::to_string(row.count), [row] {
                           Lines lines;
                           for (const nlohmann::json& object : big_objects::make(row.growth, row.count))
                               lines.push_back({object.dump()});
                           return lines;
                       }});
    }
    std::vector<Hostile> odd = odd_inputs();
    std::ranges::move(odd, std::back_inserter(out));
    return out;
}

}  // namespace echelon::tenants

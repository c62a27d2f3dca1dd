#include "engine/publish/shield.hpp"

#include "engine/publish/published_state.hpp"
#include "solver/preemption/units.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace echelon::engine {

namespace {

using Uids = std::set<std::string>;

bool may_lose(const model::RunningGang& gang, const Uids& uids) {
    std::vector<std::uint8_t> lost(gang.pods.size());
    for (std::size_t pod = 0; pod < gang.pods.size(); ++pod)
        lost[pod] = uids.contains(gang.pods[pod].uid) ? 1 : 0;
    auto all = lost;
    solver::preemption::spread_loss(gang, all);
    return all == lost && solver::preemption::keeps_minimum(gang, lost);
}

}  // namespace

std::shared_ptr<const model::RunningGang> Shield::gang_of(const std::string& uid) const {
    const auto& shard = shards_[shard_of(uid)];
    if (!shard)
        return nullptr;
    const auto found = shard->find(uid);
    return found == shard->end() ? nullptr : found->second;
}

bool Shield::allows(std::span<const std::string> victims) const {
    std::map<std::shared_ptr<const model::RunningGang>, Uids> by_gang;
    for (const auto& uid : victims) {
        if (const auto gang = gang_of(uid))
            by_gang[gang].insert(uid);
    }
    return std::ranges::all_of(by_gang, [](const auto& entry) { return may_lose(*entry.first, entry.second); });
}

}  // namespace echelon::engine

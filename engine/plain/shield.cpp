#include "engine/plain/shield.hpp"

#include "model/gang/gang_facts.hpp"
#include "model/gang/running_gang_of.hpp"
#include "solver/preemption/units.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::engine {

namespace {

model::RunningGang running_gang(const model::GangFacts& facts) {
    return model::running_gang_of(facts, [](const model::GroupFacts&, const model::PodFacts& row) {
        model::RunningPod pod;
        pod.uid = row.pod->uid;
        return std::optional(std::move(pod));
    });
}

bool may_lose(const model::RunningGang& gang, const std::set<std::string_view>& uids) {
    std::vector<std::uint8_t> lost(gang.pods.size());
    for (std::size_t pod = 0; pod < gang.pods.size(); ++pod)
        lost[pod] = uids.contains(gang.pods[pod].uid) ? 1 : 0;
    if (std::ranges::count(lost, 1) == 0)
        return true;  // What ends already takes nothing from the gang.
    auto all = lost;
    solver::preemption::spread_loss(gang, all);
    return all == lost && solver::preemption::keeps_minimum(gang, lost);
}

// Keeps the gangs that it has looked at.
class Shield {
public:
    explicit Shield(const model::Cluster& cluster) : cluster_(cluster) {}

    [[nodiscard]] bool allows(std::span<const std::string> victims) {
        std::map<model::GroupKey, std::set<std::string_view>> by_gang;
        for (const auto& uid : victims) {
            const auto* pod = cluster_.pod(uid);
            if (const auto root = pod != nullptr ? cluster_.root_of(*pod) : std::nullopt)
                by_gang[*root].insert(uid);
        }
        return std::ranges::all_of(by_gang,
                                   [this](const auto& entry) { return may_lose(gang(entry.first), entry.second); });
    }

private:
    const model::RunningGang& gang(const model::GroupKey& root) {
        auto known = gangs_.find(root);
        if (known == gangs_.end())
            known = gangs_.emplace(root, running_gang(cluster_.facts(root))).first;
        return known->second;
    }

    const model::Cluster& cluster_;
    std::map<model::GroupKey, model::RunningGang> gangs_;
};

}  // namespace

std::vector<bool> may_evict(const model::Cluster& cluster, std::span<const std::vector<std::string>> victims) {
    Shield shield(cluster);
    std::vector<bool> may;
    for (const auto& of_node : victims)
        may.push_back(shield.allows(of_node));
    return may;
}

}  // namespace echelon::engine

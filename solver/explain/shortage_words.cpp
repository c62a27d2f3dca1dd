// What is short, in the words of a refusal.

#include "solver/explain/shortage.hpp"

#include <algorithm>
#include <map>

namespace echelon::solver {

using model::NodeId;

std::string Shortage::missing_in_words(ScopeId scope, std::span<const std::int64_t> seats) const {
    if (const std::string in_zones = missing_in_zones(scope, seats); !in_zones.empty()) {
        return "one NUMA zone of " + in_zones;
    }
    if (const std::string together = missing_together(scope, seats); !together.empty()) {
        return together;
    }
    const auto resource = missing_in(scope, seats);
    return resource ? snapshot_.resources[*resource] : std::string();
}

std::string Shortage::missing_in_zones(ScopeId scope, std::span<const std::int64_t> seats) const {
    if (!demand_.inside.zones().exist()) {
        return {};
    }
    const std::uint32_t member_class = scarcest(scope, seats);
    const model::PodClassId pod_class = demand_.classes[member_class];
    std::map<std::string, std::int64_t> lost;  // Slots, by the resource that takes them.
    for (const NodeId node : scopes_.nodes_of(scope)) {
        if (snapshot_.eligible[pod_class][node] == 0 || !demand_.inside.zones().bind(member_class, node)) {
            continue;
        }
        const std::int64_t open = std::min(slots_without(pod_class, node, snapshot_.resources.size()),
                                           demand_.conflicts.limit(member_class, node));
        const std::int64_t by_zones = demand_.inside.zones().limit(member_class, node);
        if (by_zones < open) {
            lost[demand_.inside.zones().scarcest(member_class, node)] += open - by_zones;
        }
    }
    const auto most = std::ranges::max_element(lost, {}, [](const auto& entry) { return entry.second; });
    return most == lost.end() ? std::string() : most->first;
}

std::string Shortage::missing_together(ScopeId scope, std::span<const std::int64_t> seats) const {
    const DeviceRoom& devices = demand_.inside.devices();
    if (!devices.exist()) {
        return {};
    }
    const std::uint32_t member_class = scarcest(scope, seats);
    const model::PodClassId pod_class = demand_.classes[member_class];
    const auto takes_slots = [&](NodeId node) {
        return snapshot_.eligible[pod_class][node] != 0 && devices.bind(member_class, node) &&
               devices.most(member_class, node, {}) <
                   std::min(slots_without(pod_class, node, snapshot_.resources.size()),
                            demand_.conflicts.limit(member_class, node));
    };
    return std::ranges::any_of(scopes_.nodes_of(scope), takes_slots) ? devices.words(member_class) : std::string();
}

}  // namespace echelon::solver

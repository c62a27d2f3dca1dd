#include "solver/preemption/demand.hpp"

#include "model/facts/usage.hpp"

#include <algorithm>

namespace echelon::solver::preemption {
namespace {

using model::Gang;
using model::GangGroup;
using model::Member;

// The sum of the `count` smallest amounts.
std::int64_t sum_of_least(std::vector<std::int64_t> amounts, std::int64_t count) {
    std::ranges::sort(amounts);
    std::int64_t sum = 0;
    for (std::size_t i = 0; std::cmp_less(i, count) && i < amounts.size(); ++i) {
        sum = model::saturating_sum(sum, amounts[i]);
    }
    return sum;
}

LeastDemand demand_of_leaf(const model::Snapshot& snapshot, const Gang& gang, const GangGroup& leaf) {
    std::int64_t missing = leaf.basic ? std::max<std::int64_t>(1, leaf.minimum) : leaf.minimum;
    std::vector<model::PodClassId> waiting;
    for (std::uint32_t m = leaf.first_member; m < leaf.last_member; ++m) {
        const Member& member = gang.members[m];
        if (member.state == Member::State::waiting) {
            waiting.push_back(member.pod_class);
        } else if (member.state == Member::State::finished || member.node != model::nowhere) {
            --missing;
        }
    }
    LeastDemand demand;
    demand.pods = std::max<std::int64_t>(0, missing);
    demand.is_possible = std::cmp_less_equal(demand.pods, waiting.size());
    for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
        std::vector<std::int64_t> amounts;
        for (const model::PodClassId pod_class : waiting) {
            amounts.push_back(snapshot.need[pod_class][r]);
        }
        demand.amounts.push_back(sum_of_least(std::move(amounts), demand.pods));
    }
    return demand;
}

LeastDemand demand_of_composite(const GangGroup& composite, const std::vector<LeastDemand>& all,
                                std::size_t resources) {
    std::vector<const LeastDemand*> children;
    for (const std::uint32_t child : composite.children) {
        if (all[child].is_possible) {
            children.push_back(&all[child]);
        }
    }
    const std::int64_t minimum = composite.basic ? std::max<std::int64_t>(1, composite.minimum) : composite.minimum;
    LeastDemand demand;
    demand.is_possible = std::cmp_less_equal(minimum, children.size());
    const auto least = [&](const auto& amount_of) {
        std::vector<std::int64_t> amounts;
        for (const LeastDemand* child : children) {
            amounts.push_back(amount_of(*child));
        }
        return sum_of_least(std::move(amounts), minimum);
    };
    demand.pods = least([](const LeastDemand& child) { return child.pods; });
    for (std::size_t r = 0; r < resources; ++r) {
        demand.amounts.push_back(least([r](const LeastDemand& child) { return child.amounts[r]; }));
    }
    return demand;
}

}  // namespace

std::vector<LeastDemand> least_demand(const model::Snapshot& snapshot, const Gang& gang) {
    std::vector<LeastDemand> all(gang.groups.size());
    for (std::size_t g = gang.groups.size(); g-- > 0;) {
        const GangGroup& group = gang.groups[g];
        all[g] = group.is_leaf ? demand_of_leaf(snapshot, gang, group)
                               : demand_of_composite(group, all, snapshot.resources.size());
    }
    return all;
}

}  // namespace echelon::solver::preemption

#include "solver/preemption/yields.hpp"

#include <algorithm>
#include <functional>

namespace echelon::solver::preemption {
namespace {

std::int64_t slots_in(std::int64_t room, std::int64_t need) {
    return std::max<std::int64_t>(0, room) / need;
}

}  // namespace

bool Yield::is_cheaper_than(const Yield& other) const {
    if (gain == 0 || other.gain == 0) {
        return gain != 0 && other.gain == 0;
    }
    return cost * other.gain < other.cost * gain;
}

// A bound: for each resource alone, the pods that free most of it go first. No choice of as many pods gains more slots.
Yield yield_of(const model::Snapshot& snapshot, const Candidates& candidates, model::PodClassId pod_class,
               model::NodeId node, const std::vector<std::uint8_t>& may_go) {
    Yield yield;
    if (snapshot.usable[node] == 0 || snapshot.eligible[pod_class][node] == 0) {
        return yield;
    }
    std::vector<PodNumber> pods;
    for (const PodNumber pod : candidates.pods_on(node)) {
        const auto& units = candidates.pod(pod).units;
        if (std::ranges::any_of(units, [&](UnitNumber u) { return may_go[u] != 0; })) {
            pods.push_back(pod);
        }
    }
    std::vector<std::int64_t> slots(pods.size() + 1, std::int64_t{1} << 32U);  // By number of evictions.
    for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
        const std::int64_t need = snapshot.need[pod_class][r];
        if (need == 0) {
            continue;
        }
        std::vector<std::int64_t> amounts;
        amounts.reserve(pods.size());
        for (const PodNumber pod : pods) {
            amounts.push_back(candidates.pod(pod).amounts[r]);
        }
        std::ranges::sort(amounts, std::greater<>());
        std::int64_t room = snapshot.room[r][node];
        slots[0] = std::min(slots[0], slots_in(room, need));
        for (std::size_t gone = 1; gone <= pods.size(); ++gone) {
            room += amounts[gone - 1];
            slots[gone] = std::min(slots[gone], slots_in(room, need));
        }
    }
    yield.slots = slots.front();
    yield.most = slots.back() - slots.front();
    for (std::size_t gone = 1; gone < slots.size(); ++gone) {
        const Yield here{.slots = yield.slots,
                         .most = yield.most,
                         .gain = slots[gone] - slots.front(),
                         .cost = static_cast<std::int64_t>(gone)};
        if (here.is_cheaper_than(yield)) {
            yield = here;
        }
    }
    return yield;
}

// A lower bound: each node gives slots at its best exchange, and fractions of an exchange are allowed.
std::optional<std::int64_t> least_pods_for(std::int64_t slots, std::span<const Yield> cheapest_first) {
    std::int64_t missing = slots;
    for (const Yield& yield : cheapest_first) {
        missing -= yield.slots;
    }
    std::int64_t whole = 0;
    for (const Yield& yield : cheapest_first) {
        if (missing <= 0 || yield.gain == 0) {
            break;
        }
        const std::int64_t taken = std::min(missing, yield.most);
        missing -= taken;
        // Rounded down, except for the last node: the sum stays below that of the fractions.
        whole += missing > 0 ? taken * yield.cost / yield.gain : (taken * yield.cost + yield.gain - 1) / yield.gain;
    }
    return missing > 0 ? std::nullopt : std::optional(whole);
}

}  // namespace echelon::solver::preemption

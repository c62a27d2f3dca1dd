#include "model/gang/running_gang_of.hpp"

#include "model/gang/faults.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace echelon::model {

namespace {

// An Invalid gang, and one whose object is gone, has no usable minimum. So it has no extras and is evicted as a whole.
// A level that doesn't exist leaves the minimum usable.
bool is_faulty(const GangFacts& facts) {
    return std::ranges::any_of(facts.groups, [](const GroupFacts& group) { return group.group() == nullptr; }) ||
           !fault_of(facts).empty();
}

RunningGroup running_group(const GroupFacts& facts, bool is_root) {
    RunningGroup group;
    group.parent = is_root ? nowhere : facts.branch.parent;
    group.is_leaf = facts.is_leaf();
    group.minimum = facts.minimum();
    group.finished = group.is_leaf ? std::ranges::count(facts.pods, MemberStatus::finished, &PodFacts::status) : 0;
    group.floor = facts.floor();
    if (const auto* declared = facts.group())
        group.goes_whole = declared->disruption == DisruptionMode::all;
    return group;
}

}  // namespace

RunningGang running_gang_of(
    const GangFacts& facts,
    const std::function<std::optional<RunningPod>(const GroupFacts& group, const PodFacts& pod)>& running_pod) {
    RunningGang gang;
    for (const auto& group : facts.groups) {
        auto& here = gang.groups.emplace_back(running_group(group, gang.groups.empty()));
        here.first_pod = static_cast<std::uint32_t>(gang.pods.size());
        for (const auto& row : group.pods) {
            auto pod = here.is_leaf && row.status == MemberStatus::bound ? running_pod(group, row) : std::nullopt;
            if (pod)
                gang.pods.push_back(std::move(*pod));
        }
        here.last_pod = static_cast<std::uint32_t>(gang.pods.size());
    }
    for (std::size_t index = gang.groups.size(); index-- > 1;) {  // Pre-order: a subtree ends with its last group.
        auto& parent = gang.groups[gang.groups[index].parent];
        parent.last_pod = std::max(parent.last_pod, gang.groups[index].last_pod);
    }
    if (!gang.groups.empty() && is_faulty(facts))
        gang.groups.front().goes_whole = true;
    return gang;
}

}  // namespace echelon::model

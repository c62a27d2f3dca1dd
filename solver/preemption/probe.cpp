#include "solver/preemption/probe.hpp"

#include "solver/search/finish.hpp"
#include "solver/search/search_context.hpp"
#include "solver/solve.hpp"

#include <algorithm>
#include <iterator>
#include <variant>

namespace echelon::solver::preemption {
namespace {

using model::Gang;
using model::GangGroup;
using model::Member;
using model::NodeId;
using model::Snapshot;

// The most steps of one question.
constexpr std::uint64_t steps_of_a_question = 20'000;

std::int64_t slots_on(const Snapshot& snapshot, model::PodClassId pod_class, NodeId node) {
    if (snapshot.usable[node] == 0 || snapshot.eligible[pod_class][node] == 0) {
        return 0;
    }
    std::int64_t slots = std::int64_t{1} << 32U;
    for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
        const std::int64_t need = snapshot.need[pod_class][r];
        if (need > 0) {
            slots = std::min(slots, std::max<std::int64_t>(0, snapshot.room[r][node]) / need);
        }
    }
    return slots;
}

// The class of all waiting members, if the gang is one leaf of equal pods with at most one required level.
std::optional<model::PodClassId> only_pod_class(const Gang& gang) {
    if (gang.groups.size() != 1 || !gang.affinity.empty()) {
        return std::nullopt;
    }
    const GangGroup& leaf = gang.groups.front();
    if (!leaf.is_leaf || leaf.required.size() > 1 || !leaf.multiples.empty() || !gang.domain_limits.empty()) {
        return std::nullopt;
    }
    std::optional<model::PodClassId> pod_class;
    for (const Member& member : gang.members) {
        if (member.state != Member::State::waiting) {
            continue;
        }
        if (pod_class && *pod_class != member.pod_class) {
            return std::nullopt;
        }
        pod_class = member.pod_class;
    }
    return pod_class;
}

}  // namespace

Probe::Probe(const Snapshot& snapshot, const Gang& gang, const Candidates& candidates, const BarredNodes& barred,
             SearchBudget& budget)
    : snapshot_(snapshot),
      gang_(gang),
      candidates_(candidates),
      barred_(barred),
      budget_(budget),
      count_(count_for(snapshot, gang)) {
    if (!count_) {
        return;
    }
    for (NodeId node = 0; node < snapshot_.node_count(); ++node) {
        recount(node);
    }
}

std::optional<Probe::Count> Probe::count_for(const Snapshot& snapshot, const Gang& gang) {
    const auto pod_class = only_pod_class(gang);
    if (!pod_class || is_judged_inside(snapshot, *pod_class)) {
        return std::nullopt;
    }
    const GangGroup& leaf = gang.groups.front();
    Count count;
    count.pod_class = *pod_class;
    count.needed = leaf.basic ? std::max<std::int64_t>(1, leaf.minimum) : leaf.minimum;
    std::int64_t waiting = 0;
    std::uint32_t pinned = model::nowhere;
    bool is_pinned = false;
    const bool has_level = !leaf.required.empty();
    const model::LevelRef level = has_level ? leaf.required.front() : model::LevelRef{};
    const std::size_t domains = has_level ? snapshot.trees[level.tree].domains[level.depth].size() : 1;
    count.domain_of = has_level ? snapshot.trees[level.tree].domain_of[level.depth]
                                : std::vector<std::uint32_t>(snapshot.node_count(), 0);
    for (const Member& member : gang.members) {
        waiting += member.state == Member::State::waiting ? 1 : 0;
        if (member.state == Member::State::waiting ||
            (member.state == Member::State::bound && member.node == model::nowhere)) {
            continue;
        }
        --count.needed;
        if (member.state == Member::State::bound && has_level) {
            const std::uint32_t domain = count.domain_of[member.node];
            const bool is_split = domain == model::nowhere || (is_pinned && domain != pinned);
            if (is_split) {
                return std::nullopt;  // Nothing satisfies it (D8): the search says so.
            }
            pinned = domain;
            is_pinned = true;
        }
    }
    if (count.needed > waiting) {
        return std::nullopt;
    }
    count.is_allowed.assign(domains, is_pinned ? 0 : 1);
    if (is_pinned) {
        count.is_allowed[pinned] = 1;
    }
    count.slots.assign(snapshot.node_count(), 0);
    count.sums.assign(domains, 0);
    count.domains_that_suffice = count.needed <= 0 ? std::ranges::count(count.is_allowed, std::uint8_t{1}) : 0;
    return count;
}

void Probe::recount(NodeId node) {
    Count& count = *count_;
    const std::uint32_t domain = count.domain_of[node];
    if (domain == model::nowhere || count.is_allowed[domain] == 0) {
        return;
    }
    const std::int64_t now = slots_on(snapshot_, count.pod_class, node);
    const std::int64_t before = count.sums[domain];
    count.sums[domain] += now - count.slots[node];
    count.slots[node] = now;
    count.domains_that_suffice += (count.sums[domain] >= count.needed ? 1 : 0) - (before >= count.needed ? 1 : 0);
}

void Probe::move(PodNumber number, std::int64_t sign) {
    const CandidatePod& pod = candidates_.pod(number);
    for (std::size_t r = 0; r < pod.amounts.size(); ++r) {
        snapshot_.room[r][pod.node] += sign * pod.amounts[r];
    }
}

bool Probe::fits(std::span<const PodNumber> gone) {
    // One question differs from the next in few pods.
    std::vector<PodNumber> back;
    std::vector<PodNumber> away;
    std::ranges::set_difference(gone_, gone, std::back_inserter(back));
    std::ranges::set_difference(gone, gone_, std::back_inserter(away));
    for (const PodNumber pod : back) {
        move(pod, -1);
    }
    for (const PodNumber pod : away) {
        move(pod, 1);
    }
    budget_.charge(2 * (gone_.size() + gone.size()) +
                   (back.size() + away.size()) * (2 * snapshot_.resources.size() + 16));
    if (count_) {
        for (const PodNumber pod : back) {
            recount(candidates_.pod(pod).node);
        }
        for (const PodNumber pod : away) {
            recount(candidates_.pod(pod).node);
        }
    }
    gone_.assign(gone.begin(), gone.end());
    return count_ ? count_->domains_that_suffice > 0 : search();
}

bool Probe::search() {
    if (!barred_.may_change()) {
        return search_for(gang_);
    }
    budget_.charge(gang_.affinity.affinity_classes * snapshot_.node_count() + gang_.members.size() * 16);
    return search_for(barred_.gang_without(gone_));
}

bool Probe::search_for(const Gang& gang) {
    // Charges the preparations, which walk over every node.
    budget_.charge(snapshot_.node_count() * (snapshot_.resources.size() + snapshot_.trees.front().keys.size() + 4));
    if (budget_.is_over()) {
        return false;
    }
    const std::uint64_t before = budget_.narrow(steps_of_a_question);
    SearchContext context(snapshot_, snapshot_.room, gang, budget_);
    Feasibility feasibility = Feasibility::unknown;
    if (needs_distribution(snapshot_, gang, context.demand)) {
        feasibility = distribute(context).feasibility;
    } else {
        feasibility = context.search.find(Search::Goal::minimum);
    }
    const bool needs_referee = context.demand.conflicts.exist() || context.demand.inside.exist();
    budget_.restore_limit(before);
    if (feasibility == Feasibility::fits && needs_referee) {  // The searches ignore required pod affinity (D14).
        const Answer answer = solve(snapshot_, gang, {.steps = steps_of_a_question});
        return std::holds_alternative<Plan>(answer);
    }
    return feasibility == Feasibility::fits;
}

}  // namespace echelon::solver::preemption

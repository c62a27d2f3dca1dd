#include "solver/preemption/victims.hpp"

#include "solver/preemption/barred_nodes.hpp"
#include "solver/preemption/candidates.hpp"
#include "solver/preemption/least_set.hpp"
#include "solver/preemption/narrowing.hpp"
#include "solver/preemption/probe.hpp"
#include "solver/preemption/zones.hpp"
#include "solver/violations.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace echelon::solver::preemption {
namespace {

using Why = NoEviction::Why;
using Units = std::vector<UnitNumber>;

constexpr std::size_t most_zones = 24;  // Examined in full.

struct Found {
    LeastSet set;
    bool is_least = false;
};

class Chooser {
public:
    Chooser(const model::Snapshot& snapshot, const model::Gang& gang, const model::RunningGangs& running,
            const Rules& rules)
        : snapshot_(snapshot),
          gang_(gang),
          rules_(rules),
          budget_(rules.budget.steps),
          candidates_(running, snapshot, gang.priority),
          barred_(gang, running, candidates_),
          probe_(snapshot, gang, candidates_, barred_, budget_),
          terms_{.candidates = candidates_, .probe = probe_, .budget = budget_, .most_pods = rules.most_pods} {}

    EvictionAnswer answer() {
        const Units useful = useful_units(snapshot_, gang_, candidates_);
        if (!suffices(useful)) {
            return no(budget_.is_over() ? Why::out_of_budget : Why::not_enough);
        }
        std::optional<Found> found = useful.size() <= most_exact_units ? exact(useful) : by_priority(useful);
        if (!found) {
            return no(budget_.is_over() ? Why::out_of_budget : Why::not_allowed);
        }
        return eviction_of(*found);
    }

private:
    [[nodiscard]] bool suffices(const Units& units) { return probe_.fits(candidates_.loss_of(units).pods); }

    // Half of the steps are kept: where the list of all sets takes too many, a good set is better than none.
    std::optional<Found> exact(const Units& units) {
        const std::vector<Zone> zones = zones_of(snapshot_, gang_, candidates_, units);
        LossBounds bounds;
        if (!zones.empty()) {
            bounds.least_pods = std::ranges::min(zones, {}, &Zone::least_pods).least_pods;
        }
        const std::uint64_t before = budget_.narrow(budget_.left() / 2);
        LeastAnswer answer = least_set(terms_, {}, units, bounds);
        budget_.restore_limit(before);
        if (answer.least) {
            return Found{.set = std::move(*answer.least), .is_least = answer.is_certain};
        }
        return answer.is_certain ? std::nullopt : by_zone(zones, Few::good);
    }

    // Tries priorities from the lowest on: the first that gives a set is the highest victim priority of every least
    // set.
    std::optional<Found> by_priority(const Units& units) {
        std::set<std::int64_t> priorities;
        for (const UnitNumber u : units) {
            priorities.insert(candidates_.unit(u).priority);
        }
        const std::vector<std::int64_t> rising(priorities.begin(), priorities.end());
        const auto first = std::ranges::partition_point(
            rising, [&](std::int64_t priority) { return !suffices(up_to(priority, units)); });
        for (auto at = first; at != rising.end(); ++at) {
            const Units open = up_to(*at, units);
            auto found = open.size() <= most_exact_units
                             ? exact(open)
                             : by_zone(zones_of(snapshot_, gang_, candidates_, open), Few::exact);
            if (found) {
                return found;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] Units up_to(std::int64_t priority, const Units& units) const {
        Units open;
        std::ranges::copy_if(units, std::back_inserter(open),
                             [&](UnitNumber u) { return candidates_.unit(u).priority <= priority; });
        return open;
    }

    // How a zone of few units is searched.
    enum class Few : std::uint8_t { exact, good };

    std::optional<Found> by_zone(const std::vector<Zone>& zones, Few few) {
        std::optional<Found> best;
        const Zone* where = nullptr;
        std::size_t examined = 0;
        for (const Zone& zone : zones) {
            const bool is_hopeless = best && std::tuple(zone.least_roots, zone.least_pods) >
                                                 std::tuple(best->set.loss.roots, std::ssize(best->set.loss.pods));
            if (is_hopeless || examined == most_zones || (best && budget_.is_over())) {
                break;
            }
            if (zone.least_pods > rules_.most_pods) {
                continue;
            }
            ++examined;
            auto found = in_zone(zone, best ? std::optional(best->set.loss) : std::nullopt, few);
            if (found && (!best || found->set.loss.is_less_than(best->set.loss))) {
                best = std::move(found);
                where = &zone;
            }
        }
        if (best) {
            best->set = improved(terms_, std::move(best->set), where->units);
            best->set.units = without_surplus(terms_, std::move(best->set.units));
            best->set.loss = candidates_.loss_of(best->set.units);
        }
        return best;
    }

    std::optional<Found> in_zone(const Zone& zone, const std::optional<Loss>& below, Few few) {
        if (zone.units.size() <= most_exact_units && few == Few::exact) {
            auto least = least_set(terms_, {}, zone.units, {.below = below, .least_pods = zone.least_pods}).least;
            return least ? std::optional(Found{.set = std::move(*least), .is_least = false}) : std::nullopt;
        }
        const Units open = within_budgets(zone.units);
        if (!suffices(open)) {
            return std::nullopt;
        }
        LeastSet set{.units = minimal_set(terms_, open), .loss = {}};
        set.loss = candidates_.loss_of(set.units);
        return terms_.accepts(set.loss) ? std::optional(Found{.set = std::move(set), .is_least = false}) : std::nullopt;
    }

    // As many units as disruption budgets allow together, in order of preference.
    [[nodiscard]] Units within_budgets(const Units& units) const {
        if (candidates_.is_allowed(candidates_.loss_of(units))) {
            return units;
        }
        Units open;
        for (const UnitNumber u : units) {
            open.push_back(u);
            if (!candidates_.is_allowed(candidates_.loss_of(open))) {
                open.pop_back();
            }
        }
        return open;
    }

    [[nodiscard]] NoEviction no(Why why) const {
        NoEviction none{.why = why, .sentence = {}, .steps = budget_.used()};
        switch (why) {
            case Why::not_enough:
                none.sentence = fmt::format("it would not fit even if all evictable pods below priority {} were gone",
                                            gang_.priority);
                if (const std::size_t kept = candidates_.kept_by_budgets(); kept > 0) {
                    none.sentence += fmt::format("; disruption budgets keep {} pod{}", kept, kept == 1 ? "" : "s");
                }
                break;
            case Why::not_allowed:
                none.sentence = fmt::format(
                    "no set of at most {} pods (maxVictims) below priority {} that disruption budgets allow would make "
                    "it fit",
                    rules_.most_pods, gang_.priority);
                break;
            case Why::out_of_budget:
                none.sentence = "the search for pods to evict ended at its budget";
                break;
        }
        return none;
    }

    // V1: no pod is evicted unless the plan passes the referee.
    EvictionAnswer eviction_of(const Found& found) {
        model::Snapshot cleared = snapshot_;
        Eviction eviction{.victims = {},
                          .plan = {},
                          .roots = found.set.loss.roots,
                          .is_least = found.is_least,
                          .steps = budget_.used()};
        for (const PodNumber number : found.set.loss.pods) {
            const CandidatePod& pod = candidates_.pod(number);
            const model::RunningPod& facts = candidates_.facts(number);
            for (std::size_t r = 0; r < pod.amounts.size(); ++r) {
                cleared.room[r][pod.node] += pod.amounts[r];
            }
            eviction.victims.push_back({.pod = facts.pod,
                                        .uid = facts.uid,
                                        .gang = candidates_.gang_of(number).name,
                                        .node = pod.node,
                                        .priority = candidates_.gang_of(number).priority,
                                        .requests = facts.requests});
        }
        std::ranges::sort(eviction.victims, {}, [](const Victim& v) { return std::tie(v.gang, v.pod, v.uid); });
        const model::Gang gang = barred_.gang_without(found.set.loss.pods);
        Answer answer = solve(cleared, gang, rules_.budget_of_plan);
        if (!std::holds_alternative<Plan>(answer)) {
            return no(Why::out_of_budget);
        }
        eviction.plan = std::move(std::get<Plan>(answer));
        if (!violations(cleared, gang, eviction.plan).empty()) {
            return no(Why::out_of_budget);
        }
        return eviction;
    }

    const model::Snapshot& snapshot_;
    const model::Gang& gang_;
    const Rules& rules_;
    SearchBudget budget_;
    Candidates candidates_;
    BarredNodes barred_;
    Probe probe_;
    Terms terms_;
};

}  // namespace

EvictionAnswer choose_victims(const model::Snapshot& snapshot, const model::Gang& gang,
                              const model::RunningGangs& running, const Rules& rules) {
    if (gang.problem || gang.groups.empty()) {
        return NoEviction{.why = Why::not_enough, .sentence = "it does not wait for room", .steps = 0};
    }
    // Nobody knows whether it would start on the room of victims (V1).
    if (!gang.left_open.empty())
        return NoEviction{.why = Why::not_enough, .sentence = gang.left_open, .steps = 0};
    return Chooser(snapshot, gang, running, rules).answer();
}

}  // namespace echelon::solver::preemption

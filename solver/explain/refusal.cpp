#include "solver/explain/refusal.hpp"

#include "solver/distribution/multiples.hpp"
#include "solver/explain/domain_rule_words.hpp"
#include "solver/explain/refusal_words.hpp"
#include "solver/explain/shortage.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace echelon::solver {
namespace {

using model::GangGroup;
using model::LevelRef;
using model::NodeId;

constexpr std::uint64_t most_steps = 20'000;  // For finding the culprit.

// Finds the group to name, and what is short there; RefusalWords has the sentences.
class Diagnosis {
public:
    Diagnosis(SearchContext& context, model::Reason reason)
        : context_(context),
          budget_(most_steps),
          shortage_(context.snapshot, context.room, context.gang, context.demand, context.scopes, context.bounds),
          words_(context, shortage_, reason) {}

    Refusal explain() {
        context_.partial_plan.clear();
        if (!demand_for(0).is_satisfiable) {
            return too_few_members();
        }
        std::optional<Refusal> refusal = refusal_of_part(0, std::span(&everywhere, 1), everywhere);
        (void)context_.budget.spend(budget_.used());
        return refusal ? std::move(*refusal) : words_.fits_nowhere();
    }

private:
    const model::GangGroup& group_at(std::uint32_t group) const { return context_.gang.groups[group]; }
    const GroupDemand& demand_for(std::uint32_t group) const { return context_.demand.groups[group]; }

    // Members are missing, or bound members break a required level (D8).
    Refusal too_few_members() const {
        for (std::uint32_t g = 0; g < context_.gang.groups.size(); ++g) {
            if (!demand_for(g).split.empty()) {
                return words_.split(g, demand_for(g).split.front());
            }
        }
        std::uint32_t group = 0;
        for (bool deeper = true; deeper;) {
            deeper = false;
            for (const std::uint32_t child : group_at(group).children) {
                if (!deeper && !demand_for(child).is_satisfiable) {
                    group = child;
                    deeper = true;
                }
            }
        }
        return words_.too_few_members(group);
    }

    // Why the group can be placed in none of these domains of `outer`, even alone. Nullopt: it can, or the steps ended
    // first.
    std::optional<Refusal> refusal_of_part(std::uint32_t group, std::span<const ScopeId> domains, ScopeId outer) {
        if (!demand_for(group).split.empty()) {
            return words_.split(group, demand_for(group).split.front());
        }
        budget_.charge(context_.bounds.take_work());
        if (budget_.is_over()) {
            return std::nullopt;  // No culprit is named, but the gang is refused all the same.
        }
        std::vector<ScopeId> candidates;
        for (const ScopeId domain : domains) {
            const std::vector<ScopeId>& inside = context_.scopes.candidates(group, domain);
            candidates.insert(candidates.end(), inside.begin(), inside.end());
        }
        return candidates.empty() ? words_.no_domain(group, outer) : refusal_in(group, candidates, outer);
    }

    // The same for some candidates in `outer`.
    std::optional<Refusal> refusal_in(std::uint32_t group, const std::vector<ScopeId>& candidates, ScopeId outer) {
        const std::span<const std::int64_t> amounts = context_.search.least(Search::Goal::minimum, group);
        budget_.charge(candidates.size() * (4 + amounts.size()) +
                       context_.demand.classes.size() * (4 + group_at(group).children.size()));
        if (!group_at(group).is_leaf) {
            return refusal_of_composite(group, candidates, outer);
        }
        if (std::ranges::none_of(candidates, [&](ScopeId scope) { return context_.bounds.admits(scope, amounts); })) {
            return short_of_room(group, best_of(group, candidates), outer);
        }
        if (!packs_alone(group, candidates)) {
            return words_.unpackable(group, best_of(group, candidates));
        }
        auto refusal = short_of_multiples(group, candidates, outer);
        return refusal ? refusal : beyond_limit(group, candidates, outer);
    }

    std::optional<Refusal> refusal_of_composite(std::uint32_t group, const std::vector<ScopeId>& candidates,
                                                ScopeId outer) {
        const ScopeId best = best_of(group, candidates);
        if (auto refusal = refusal_of_child(group, candidates, best)) {
            return refusal;
        }
        const std::span<const std::int64_t> amounts = context_.search.least(Search::Goal::minimum, group);
        if (std::ranges::none_of(candidates, [&](ScopeId scope) { return context_.bounds.admits(scope, amounts); })) {
            return short_of_room(group, best, outer);
        }
        if (auto floor = short_of_floor(group, best, outer)) {
            return floor;
        }
        if (auto limit = beyond_limit(group, candidates, outer)) {
            return limit;
        }
        return group == 0 ? std::optional(not_at_once(group, best)) : std::nullopt;
    }

    // Names the first child that fits in none of the domains, even alone. Nullopt: enough children fit in some.
    std::optional<Refusal> refusal_of_child(std::uint32_t group, const std::vector<ScopeId>& candidates, ScopeId best) {
        std::vector<std::uint32_t> children = group_at(group).children;
        std::erase_if(children, [&](std::uint32_t child) { return !demand_for(child).is_satisfiable; });
        std::int64_t placeable = std::ssize(children);
        const ScopeId outer = candidates.size() == 1 ? best : everywhere;
        std::optional<Refusal> first;
        for (const std::uint32_t child : children) {
            std::optional<Refusal> refusal = refusal_of_part(child, std::span(&best, 1), outer);
            if (const auto where = refusal && outer != best ? roomiest(child, candidates, best) : best; !where) {
                refusal = refusal_of_part(child, candidates, outer);
            } else if (*where != best) {
                refusal = refusal_of_part(child, std::span(&*where, 1), outer);
            }
            if (!refusal) {
                continue;
            }
            if (!first) {
                first = std::move(refusal);
            }
            if (--placeable < demand_for(group).minimum) {
                return first;
            }
        }
        return std::nullopt;
    }

    // The one of these domains in which there is most room for the group, `best` before others. Nullopt: counting can't
    // tell, or doesn't show that the group fits in none.
    std::optional<ScopeId> roomiest(std::uint32_t group, const std::vector<ScopeId>& domains, ScopeId best) const {
        const GangGroup& source = group_at(group);
        if (!source.is_leaf || source.required.size() > 1 || !demand_for(group).bound_nodes.empty() ||
            context_.scopes[best].places.size() != 1) {
            return std::nullopt;
        }
        LevelRef level = context_.scopes[best].places.front().level;
        if (!source.required.empty()) {
            if (source.required.front().tree != level.tree) {
                return std::nullopt;
            }
            level.depth = std::max(level.depth, source.required.front().depth);
        }
        budget_.charge(context_.snapshot.trees[level.tree].domains[level.depth].size());
        const auto node = shortage_.node_with_most_room(level, best, shortage_.smallest_seats(group),
                                                        context_.search.least(Search::Goal::minimum, group));
        if (!node || context_.scopes.holds(best, *node)) {
            return node ? std::optional(best) : std::nullopt;
        }
        const auto around =
            std::ranges::find_if(domains, [&](ScopeId scope) { return context_.scopes.holds(scope, *node); });
        return around == domains.end() ? std::nullopt : std::optional(*around);
    }

    // Names the widest group that has several children, or a rule.
    Refusal not_at_once(std::uint32_t group, ScopeId best) {
        while (domain_rules_in_words(context_, group).empty() && group_at(group).children.size() == 1 &&
               !group_at(group_at(group).children.front()).is_leaf) {
            group = group_at(group).children.front();
            const std::vector<ScopeId> candidates = context_.scopes.candidates(group, best);
            best = candidates.empty() ? best : best_of(group, candidates);
        }
        return words_.not_at_once(group, best);
    }

    bool packs_alone(std::uint32_t group, const std::vector<ScopeId>& candidates) {
        const PlacedGroup pick{.group = group, .scope = everywhere, .seats = shortage_.smallest_seats(group)};
        std::vector<PodBatch> batches = context_.partial_plan.batches_of(std::span(&pick, 1));
        return std::ranges::any_of(candidates, [&](ScopeId scope) {
            for (PodBatch& batch : batches) {
                batch.scope = scope;
            }
            Packing packing(context_.snapshot, context_.room, context_.demand, context_.scopes, context_.bounds,
                            budget_);
            return budget_.is_over() || packing.pack(batches).feasibility != Feasibility::proved_not_to_fit;
        });
    }

    // False: the gang that this one is anchored to is in other domains, so no member may go there (X5).
    bool is_beside_anchor(ScopeId scope) const {
        const model::Gang& gang = context_.gang;
        if (gang.co_location.seated.empty() || gang.co_location.required.empty()) {
            return true;
        }
        const std::vector<NodeId> nodes = context_.scopes.nodes_of(scope);
        budget_.charge(nodes.size());
        return std::ranges::any_of(gang.affinity.barred, [&nodes](const auto& barred) {
            return !barred.empty() && std::ranges::any_of(nodes, [&](NodeId node) { return barred[node] == 0; });
        });
    }

    // The candidate where counting leaves most seats for the group's minimum.
    ScopeId best_of(std::uint32_t group, const std::vector<ScopeId>& candidates) const {
        const std::vector<std::int64_t> seats = shortage_.smallest_seats(group);
        const std::span<const std::int64_t> amounts = context_.search.least(Search::Goal::minimum, group);
        const auto key = [&](ScopeId scope) {
            const std::int64_t slots = amounts.empty() ? 0 : context_.bounds.capacity(0, scope);
            const std::tuple rank{context_.bounds.admits(scope, amounts), shortage_.room_for(seats, scope),
                                  is_beside_anchor(scope), slots};
            budget_.charge(context_.bounds.take_work() + 2 * seats.size());
            return rank;
        };
        ScopeId best = candidates.front();
        auto best_key = key(best);
        for (std::size_t c = 1; c < candidates.size() && !budget_.is_over(); ++c) {
            if (auto here = key(candidates[c]); best_key < here) {
                best = candidates[c];
                best_key = here;
            }
        }
        return best;
    }

    // The seats of a group's minimum, and how many of them a domain has room for by count.
    struct SeatCount {
        std::vector<std::int64_t> seats;  // [member class]
        std::int64_t needed = 0;
        std::int64_t fits = 0;
    };
    SeatCount count_seats(std::uint32_t group, ScopeId scope) const {
        SeatCount count{.seats = shortage_.smallest_seats(group)};
        count.needed = std::accumulate(count.seats.begin(), count.seats.end(), std::int64_t{0});
        count.fits = shortage_.room_for(count.seats, scope);
        return count;
    }
    // `how`: a condition on the seats, in words.
    Refusal short_of_seats(std::uint32_t group, const SeatCount& count, const char* how, ScopeId best,
                           ScopeId outer) const {
        const bool is_exact = shortage_.can_seat(count.seats, best, count.fits);
        return words_.short_by_count(
            group, {.needed = count.needed, .fits = count.fits, .how = how, .is_exact = is_exact}, best, outer);
    }

    Refusal short_of_room(std::uint32_t group, ScopeId best, ScopeId outer) const {
        return short_of_seats(group, count_seats(group, best), "", best, outer);
    }

    // A floor counts pods in whole groups (Z37). Nullopt: there is no floor, or enough room for it by count.
    std::optional<Refusal> short_of_floor(std::uint32_t group, ScopeId best, ScopeId outer) const {
        if (group_at(group).floor == 0) {
            return std::nullopt;
        }
        const SeatCount count = count_seats(group, best);
        return count.fits >= count.needed
                   ? std::nullopt
                   : std::optional(short_of_seats(group, count, " in whole groups", best, outer));
    }

    // D16: there is enough room, but in too few domains. Nullopt: counting says nothing against the limits.
    std::optional<Refusal> beyond_limit(std::uint32_t group, const std::vector<ScopeId>& candidates, ScopeId outer) {
        const auto limit = short_of_limit(context_, shortage_, group, candidates, budget_);
        if (!limit) {
            return std::nullopt;
        }
        const CountedRoom count{.needed = limit->needed,
                                .fits = limit->fits,
                                .how = words_.within_limit(limit->most, limit->level),
                                .counts_groups = !group_at(group).is_leaf,
                                .is_for_resource = false};
        return words_.short_by_count(group, count, limit->best, outer);
    }

    std::int64_t whole_multiples(std::size_t bound, LevelRef level, std::int64_t multiple, ScopeId scope) {
        std::int64_t seats = 0;
        for (const ScopeId domain : context_.scopes.inside(level, scope)) {
            seats += context_.bounds.capacity(bound, domain) / multiple * multiple;
        }
        return seats;
    }

    // D13: there is enough room, but not in whole multiples. Nullopt: there is, or members of several classes wait.
    std::optional<Refusal> short_of_multiples(std::uint32_t group, const std::vector<ScopeId>& candidates,
                                              ScopeId outer) {
        const std::vector<std::int64_t>& waiting_of = demand_for(group).waiting_of;
        const auto waiting = std::ranges::find_if(waiting_of, [](std::int64_t count) { return count > 0; });
        if (waiting == waiting_of.end() || *waiting != demand_for(group).waiting) {
            return std::nullopt;
        }
        const std::size_t bound = CapacityBounds::slots_bound(static_cast<std::uint32_t>(waiting - waiting_of.begin()));
        for (const auto& [level, multiple] : group_at(group).multiples) {
            if (!partial_multiples(context_.snapshot, context_.gang, group, level, multiple).empty()) {
                return std::nullopt;  // Bound members fill a multiple in part: less than a whole one is missing.
            }
            CountedRoom count{.needed = (demand_for(group).lacking + multiple - 1) / multiple * multiple,
                              .fits = -1,
                              .how = words_.in_multiples(multiple, level)};
            if (count.needed > *waiting) {
                return words_.not_in_multiples(group, level, multiple, *waiting);
            }
            ScopeId best = everywhere;
            for (const ScopeId scope : candidates) {
                const std::int64_t whole = whole_multiples(bound, level, multiple, scope);
                best = whole > count.fits ? scope : best;
                count.fits = std::max(count.fits, whole);
            }
            if (count.fits < count.needed) {
                // With enough room in parts of a multiple, no resource is to blame.
                count.is_for_resource = context_.bounds.capacity(bound, best) < count.needed;
                return words_.short_by_count(group, count, best, outer);
            }
        }
        return std::nullopt;
    }

    SearchContext& context_;
    mutable SearchBudget budget_;  // Separate, so that a refusal after a spent budget is explained, too.
    Shortage shortage_;
    RefusalWords words_;
};

}  // namespace

Refusal explain(SearchContext& context, model::Reason reason) {
    if (reason == model::Reason::out_of_budget) {
        return unproved(context.gang);
    }
    return Diagnosis(context, reason).explain();
}

}  // namespace echelon::solver

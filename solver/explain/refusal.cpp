#include "solver/explain/refusal.hpp"

#include "solver/distribution/multiples.hpp"
#include "solver/explain/affinity_loss.hpp"
#include "solver/explain/domain_rule_words.hpp"
#include "solver/explain/shortage.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace echelon::solver {
namespace {

using model::GangGroup;
using model::LevelRef;
using model::NodeId;

constexpr std::size_t longest_name = 90;      // Names come from users and may be long; a sentence must not be.
constexpr std::uint64_t most_steps = 20'000;  // For finding the culprit.

std::string clip(const std::string& name) {
    return name.size() <= longest_name ? name : name.substr(0, longest_name - 3) + "...";
}

std::string counted(std::int64_t number, const char* what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

// Finds the group to name, and words the sentence about it.
class Diagnosis {
public:
    Diagnosis(SearchContext& context, model::Reason reason)
        : context_(context),
          reason_(reason),
          budget_(most_steps),
          shortage_(context.snapshot, context.room, context.gang, context.demand, context.scopes, context.bounds) {}

    Refusal explain() {
        context_.partial_plan.clear();
        if (!demand_for(0).is_satisfiable) {
            return too_few_members();
        }
        std::string whole = fmt::format("group {} fits nowhere as a whole{}, though each part alone has room",
                                        name_of(0), domain_rules_in_words(context_, 0));
        Refusal refusal =
            refusal_of_part(0, std::span(&everywhere, 1), everywhere).value_or(refuse(0, "", std::move(whole)));
        (void)context_.budget.spend(budget_.used());
        return refusal;
    }

private:
    const model::GangGroup& group_at(std::uint32_t group) const { return context_.gang.groups[group]; }
    const GroupDemand& demand_for(std::uint32_t group) const { return context_.demand.groups[group]; }
    std::string name_of(std::uint32_t group) const { return clip(group_at(group).key.name); }
    std::string key_of(LevelRef level) const { return context_.snapshot.trees[level.tree].keys[level.depth]; }

    std::string path_of(ScopeId scope) const {
        const auto& places = context_.scopes[scope].places;
        if (places.empty()) {
            return "the cluster";
        }
        std::string path;
        for (const Place& place : places) {
            path += (path.empty() ? "" : " and ") + clip(solver::path_of(context_.snapshot, place));
        }
        return path;
    }

    Refusal refuse(std::uint32_t group, std::string level, std::string sentence) const {
        return {.reason = reason_,
                .group = group_at(group).key.name,
                .level = std::move(level),
                .sentence = std::move(sentence)};
    }

    // Members are missing, or bound members break a required level (D8).
    Refusal too_few_members() {
        for (std::uint32_t g = 0; g < context_.gang.groups.size(); ++g) {
            if (!demand_for(g).split.empty()) {
                return split(g, demand_for(g).split.front());
            }
        }
        reason_ = model::Reason::incomplete;
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
        const GroupDemand& own = demand_for(group);
        const model::GangGroup& source = group_at(group);
        return refuse(group, "",
                      fmt::format("group {} has {} of {} {}", name_of(group),
                                  source.is_leaf ? own.counting + own.waiting - source.earlier_members : 0,
                                  own.minimum - source.earlier_members, source.is_leaf ? "pods" : "groups"));
    }

    Refusal split(std::uint32_t group, LevelRef level) const {
        const model::Tree& tree = context_.snapshot.trees[level.tree];
        const auto& domain_of = tree.domain_of[level.depth];
        std::string one;
        std::string other;
        for (const NodeId node : demand_for(group).bound_nodes) {
            const std::uint32_t domain = domain_of[node];
            const std::string place = domain == model::nowhere
                                          ? fmt::format("node {} outside any", clip(context_.snapshot.node_names[node]))
                                          : clip(context_.snapshot.path(level.tree, level.depth, node));
            if (one.empty()) {
                one = place;
            } else if (other.empty() && place != one) {
                other = place;
            }
        }
        return refuse(group, key_of(level),
                      other.empty() ? fmt::format("group {} must stay in one {}, but runs on {}", name_of(group),
                                                  key_of(level), one)
                                    : fmt::format("group {} must stay in one {}, but runs in {} and {}", name_of(group),
                                                  key_of(level), one, other));
    }

    std::string level_of(std::uint32_t group) const {
        const auto level = narrowest_required(group_at(group));
        return level ? key_of(*level) : "";
    }

    // Why the group can be placed in none of these domains of `outer`, even alone. Nullopt: it can, or the steps ended
    // first.
    std::optional<Refusal> refusal_of_part(std::uint32_t group, std::span<const ScopeId> domains, ScopeId outer) {
        if (!demand_for(group).split.empty()) {
            return split(group, demand_for(group).split.front());
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
        return candidates.empty() ? no_domain(group, outer) : refusal_in(group, candidates, outer);
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
            return unpackable(group, best_of(group, candidates));
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
        const std::string level = level_of(group);
        const std::string where = level.empty() ? "" : fmt::format(" in one {}", level);
        const std::int64_t uncounted = group_at(group).uncounted_children;
        return refuse(
            group, level,
            fmt::format("group {} needs {} of {} groups{}{}; {} has room for some, not for all at once", name_of(group),
                        demand_for(group).minimum - uncounted, std::ssize(group_at(group).children) - uncounted,
                        domain_rules_in_words(context_, group), where, path_of(best)));
    }

    Refusal no_domain(std::uint32_t group, ScopeId outer) const {
        const std::string level = level_of(group);
        if (!demand_for(group).bound_nodes.empty()) {
            const NodeId node = demand_for(group).bound_nodes.front();
            return refuse(group, level,
                          fmt::format("group {} runs on {}, which is outside {}", name_of(group),
                                      clip(context_.snapshot.node_names[node]), path_of(outer)));
        }
        return refuse(
            group, level,
            fmt::format("group {} needs one {}; no node of {} is in any", name_of(group), level, path_of(outer)));
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

    Refusal unpackable(std::uint32_t group, ScopeId best) const {
        const std::string level = level_of(group);
        const bool is_apart = are_kept_apart(context_.demand, shortage_, best, shortage_.smallest_seats(group));
        return refuse(
            group, level,
            fmt::format("group {} needs {}{}; {} has the room, but {}", name_of(group),
                        counted(demand_for(group).lacking, "seat"),
                        level.empty() ? "" : fmt::format(" in one {}", level), path_of(best),
                        is_apart ? fmt::format("its pods are {}", kept_apart) : "not on nodes that its pods fit"));
    }

    // The candidate where counting leaves most seats for the group's minimum.
    ScopeId best_of(std::uint32_t group, const std::vector<ScopeId>& candidates) const {
        const std::vector<std::int64_t> seats = shortage_.smallest_seats(group);
        const std::span<const std::int64_t> amounts = context_.search.least(Search::Goal::minimum, group);
        const auto key = [&](ScopeId scope) {
            const std::int64_t slots = amounts.empty() ? 0 : context_.bounds.capacity(0, scope);
            const std::tuple rank{context_.bounds.admits(scope, amounts), shortage_.room_for(seats, scope), slots};
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

    Refusal short_of_room(std::uint32_t group, ScopeId best, ScopeId outer) {
        const std::vector<std::int64_t> seats = shortage_.smallest_seats(group);
        const std::int64_t needed = std::accumulate(seats.begin(), seats.end(), std::int64_t{0});
        const std::int64_t fits = shortage_.room_for(seats, best);
        const bool is_exact = shortage_.can_seat(seats, best, fits);
        return short_by_count(group, {.needed = needed, .fits = fits, .how = "", .is_exact = is_exact}, best, outer);
    }

    // A floor counts pods in whole groups (Z37). Nullopt: there is no floor, or enough room for it by count.
    std::optional<Refusal> short_of_floor(std::uint32_t group, ScopeId best, ScopeId outer) {
        if (group_at(group).floor == 0) {
            return std::nullopt;
        }
        const std::vector<std::int64_t> seats = shortage_.smallest_seats(group);
        const std::int64_t needed = std::accumulate(seats.begin(), seats.end(), std::int64_t{0});
        const std::int64_t fits = shortage_.room_for(seats, best);
        if (fits >= needed) {
            return std::nullopt;
        }
        const bool is_exact = shortage_.can_seat(seats, best, fits);
        return short_by_count(group, {.needed = needed, .fits = fits, .how = " in whole groups", .is_exact = is_exact},
                              best, outer);
    }

    struct Count {
        std::int64_t needed = 0;
        std::int64_t fits = 0;
        std::string how;              // A condition on the seats, in words.
        std::string what = {};        // What is counted, in words; empty: seats.
        bool is_for_resource = true;  // False: the sentence names no scarce resource.
        bool is_exact = true;         // False: fewer may fit, since the pods are of several sizes.
    };

    // D16: there is enough room, but in too few domains. Nullopt: counting says nothing against the limits.
    std::optional<Refusal> beyond_limit(std::uint32_t group, const std::vector<ScopeId>& candidates, ScopeId outer) {
        const auto limit = short_of_limit(context_, shortage_, group, candidates, budget_);
        if (!limit) {
            return std::nullopt;
        }
        const GangGroup& source = group_at(group);
        Count count{.needed = limit->needed, .fits = limit->fits, .how = {}, .is_for_resource = false};
        count.how = fmt::format(" with at most {} in each {}", limit->most, key_of(limit->level));
        if (!source.is_leaf) {
            count.what = fmt::format("{} of {} groups", count.needed, source.children.size());
        }
        return short_by_count(group, count, limit->best, outer);
    }

    // "cpu; kept apart by pod anti-affinity"
    std::string cause_in(ScopeId best, std::span<const std::int64_t> seats) const {
        const std::string resource = clip(shortage_.missing_in_words(best, seats));
        const std::string kept = shortage_.affinity_loss(best, seats).words(best != everywhere);
        if (resource.empty()) {
            return kept.empty() ? "no eligible node" : kept;
        }
        return resource + (kept.empty() ? "" : "; " + kept);
    }

    Refusal short_by_count(std::uint32_t group, const Count& count, ScopeId best, ScopeId outer) {
        const std::vector<std::int64_t> seats = shortage_.smallest_seats(group);
        const std::string level = level_of(group);
        const bool is_empty = reason_ == model::Reason::impossible;
        const char* at_most = count.is_exact ? "" : "at most ";
        std::string sentence = fmt::format("group {} needs {}{}", name_of(group),
                                           count.what.empty() ? counted(count.needed, "seat") : count.what, count.how);
        if (level.empty() || best == everywhere) {
            sentence += fmt::format("; {} has room for {}{}", path_of(best), at_most, count.fits);
        } else {
            sentence +=
                fmt::format(" in one {}; the best, {}, has room for {}{}", level, path_of(best), at_most, count.fits);
        }
        sentence += is_empty ? " when empty" : "";
        if (count.fits < count.needed) {
            sentence += fmt::format(": {}{} missing", count.is_exact ? "" : "at least ", count.needed - count.fits);
        }
        sentence += count.is_for_resource ? fmt::format(" ({})", cause_in(best, seats)) : "";
        if (const std::size_t unlabelled = shortage_.nodes_without_level(group, outer).size(); unlabelled > 0) {
            sentence += fmt::format("; {} without {}", counted(static_cast<std::int64_t>(unlabelled), "node"), level);
        }
        return refuse(group, level, std::move(sentence));
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
            Count count{.needed = (demand_for(group).lacking + multiple - 1) / multiple * multiple,
                        .fits = -1,
                        .how = fmt::format(" in multiples of {} for each {}", multiple, key_of(level))};
            if (count.needed > *waiting) {
                return refuse(group, key_of(level),
                              fmt::format("group {} takes multiples of {} for each {} only; {} can be placed",
                                          name_of(group), multiple, key_of(level), counted(*waiting, "pod")));
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
                return short_by_count(group, count, best, outer);
            }
        }
        return std::nullopt;
    }

    SearchContext& context_;
    model::Reason reason_;
    mutable SearchBudget budget_;  // Separate, so that a refusal after a spent budget is explained, too.
    Shortage shortage_;
};

}  // namespace

Refusal explain(SearchContext& context, model::Reason reason) {
    if (reason == model::Reason::out_of_budget) {
        return {.reason = reason,
                .group = context.gang.groups[0].key.name,
                .level = "",
                .sentence =
                    fmt::format("group {} may or may not fit: {}", clip(context.gang.groups[0].key.name),
                                context.gang.affinity.is_exact ? "the search ended at its budget without a proof"
                                                               : "not every way to meet its pod affinity was tried")};
    }
    return Diagnosis(context, reason).explain();
}

Refusal unsearched(const model::Gang& gang) {
    const std::string& name = gang.groups[0].key.name;
    return {.reason = model::Reason::out_of_budget,
            .group = name,
            .level = "",
            .sentence = fmt::format("group {} may or may not fit: its pods are of more kinds, in more groups, than a "
                                    "search can hold",
                                    clip(name))};
}

}  // namespace echelon::solver

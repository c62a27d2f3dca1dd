#include "solver/explain/refusal.hpp"

#include "solver/distribution/multiples.hpp"
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

// Names come from users and may be long; a sentence must not be.
constexpr std::size_t longest_name = 90;

// What looking for the culprit may cost.
constexpr std::uint64_t most_steps = 20'000;

std::string clip(const std::string& name) {
    return name.size() <= longest_name ? name : name.substr(0, longest_name - 3) + "...";
}

std::string counted(std::int64_t number, const char* what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

class Diagnosis {
public:
    Diagnosis(SearchContext& attempt, model::Reason reason)
        : a_(attempt),
          reason_(reason),
          steps_(most_steps),
          shortage_(a_.snapshot, a_.room, a_.gang, a_.needs, a_.scopes, a_.gauges) {}

    Refusal explain() {
        a_.draft.clear();
        if (!a_.needs.groups[0].is_satisfiable) {
            return too_few();
        }
        Refusal refusal = failing(0, everywhere)
                              .value_or(refuse(0, "",
                                               fmt::format("group {} fits nowhere as a whole{}, though each part "
                                                           "alone has room",
                                                           name_of(0), domain_rules_in_words(a_, 0))));
        (void)a_.steps.spend(steps_.used());
        return refusal;
    }

private:
    std::string name_of(std::uint32_t group) const { return clip(a_.gang.groups[group].key.name); }
    std::string key_of(LevelRef level) const { return a_.snapshot.trees[level.tree].keys[level.depth]; }

    std::string path_of(ScopeId scope) const {
        const auto& places = a_.scopes[scope].places;
        if (places.empty()) {
            return "the cluster";
        }
        std::string path;
        for (const Place& place : places) {
            const auto& domain = a_.snapshot.trees[place.level.tree].domains[place.level.depth][place.domain];
            path += (path.empty() ? "" : " and ") + clip(domain.path);
        }
        return path;
    }

    Refusal refuse(std::uint32_t group, std::string level, std::string sentence) const {
        return {.reason = reason_,
                .group = a_.gang.groups[group].key.name,
                .level = std::move(level),
                .sentence = std::move(sentence)};
    }

    // Members are missing, or those that are bound already break a level.
    Refusal too_few() {
        for (std::uint32_t g = 0; g < a_.gang.groups.size(); ++g) {
            if (!a_.needs.groups[g].split.empty()) {
                return split(g, a_.needs.groups[g].split.front());
            }
        }
        reason_ = model::Reason::incomplete;
        std::uint32_t group = 0;
        for (bool deeper = true; deeper;) {
            deeper = false;
            for (const std::uint32_t child : a_.gang.groups[group].children) {
                if (!deeper && !a_.needs.groups[child].is_satisfiable) {
                    group = child;
                    deeper = true;
                }
            }
        }
        const GroupDemand& needs = a_.needs.groups[group];
        const model::GangGroup& source = a_.gang.groups[group];
        return refuse(group, "",
                      fmt::format("group {} has {} of {} {}", name_of(group),
                                  source.is_leaf ? needs.counting + needs.waiting - source.standing : 0,
                                  needs.minimum - source.standing, source.is_leaf ? "pods" : "groups"));
    }

    Refusal split(std::uint32_t group, LevelRef level) const {
        const model::Tree& tree = a_.snapshot.trees[level.tree];
        const auto& domain_of = tree.domain_of[level.depth];
        std::string one;
        std::string other;
        for (const NodeId node : a_.needs.groups[group].bound) {
            const std::uint32_t domain = domain_of[node];
            const std::string place = domain == model::nowhere
                                          ? fmt::format("node {} outside any", clip(a_.snapshot.node_names[node]))
                                          : clip(tree.domains[level.depth][domain].path);
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
        const auto level = narrowest_required(a_.gang.groups[group]);
        return level ? key_of(*level) : "";
    }

    // The sentence about a group that alone can't be placed in `outer`; nullopt: alone it could be.
    std::optional<Refusal> failing(std::uint32_t group, ScopeId outer) {
        if (!a_.needs.groups[group].split.empty()) {
            return split(group, a_.needs.groups[group].split.front());
        }
        steps_.work(a_.gauges.take_work());
        if (steps_.is_over()) {
            return std::nullopt;  // So much for the culprit: the whole is refused all the same.
        }
        const std::vector<ScopeId> candidates = a_.scopes.candidates(group, outer);
        if (candidates.empty()) {
            return no_domain(group, outer);
        }
        const std::span<const std::int64_t> demand = a_.search.least(Search::Goal::minimum, group);
        steps_.work(candidates.size() * (4 + demand.size()) +
                    a_.needs.sizes.size() * (4 + a_.gang.groups[group].children.size()));
        const ScopeId best = best_of(group, candidates);
        if (a_.gang.groups[group].is_leaf) {
            if (std::ranges::any_of(candidates, [&](ScopeId scope) { return a_.gauges.admits(scope, demand); })) {
                if (!packs_alone(group, candidates)) {
                    return unpackable(group, best);
                }
                auto refusal = short_of_multiples(group, candidates, outer);
                return refusal ? refusal : beyond_limit(group, candidates, outer);
            }
            return short_of_room(group, best, outer);
        }
        return failing_composite(group, candidates, best, outer);
    }

    std::optional<Refusal> failing_composite(std::uint32_t group, const std::vector<ScopeId>& candidates, ScopeId best,
                                             ScopeId outer) {
        // The children that have nowhere to go even when alone in the best domain.
        std::optional<Refusal> first;
        std::int64_t placeable = 0;
        for (const std::uint32_t child : a_.gang.groups[group].children) {
            if (!a_.needs.groups[child].is_satisfiable) {
                continue;
            }
            std::optional<Refusal> refusal = failing(child, best);
            placeable += refusal ? 0 : 1;
            if (!first) {
                first = std::move(refusal);
            }
        }
        if (placeable < a_.needs.groups[group].minimum && first) {
            return first;
        }
        const std::span<const std::int64_t> demand = a_.search.least(Search::Goal::minimum, group);
        if (std::ranges::none_of(candidates, [&](ScopeId scope) { return a_.gauges.admits(scope, demand); })) {
            return short_of_room(group, best, outer);
        }
        if (auto floor = short_of_floor(group, best, outer)) {
            return floor;
        }
        if (auto limit = beyond_limit(group, candidates, outer)) {
            return limit;
        }
        if (group != 0) {
            return std::nullopt;
        }
        const std::string level = level_of(group);
        const std::string where = level.empty() ? "" : fmt::format(" in one {}", level);
        return refuse(group, level,
                      fmt::format("group {} needs {} of its {} groups{}{}; {} has room for some, not for all at once",
                                  name_of(group), a_.needs.groups[group].minimum, a_.gang.groups[group].children.size(),
                                  domain_rules_in_words(a_, group), where, path_of(best)));
    }

    Refusal no_domain(std::uint32_t group, ScopeId outer) const {
        const std::string level = level_of(group);
        if (!a_.needs.groups[group].bound.empty()) {
            const NodeId node = a_.needs.groups[group].bound.front();
            return refuse(group, level,
                          fmt::format("group {} runs on {}, which is outside {}", name_of(group),
                                      clip(a_.snapshot.node_names[node]), path_of(outer)));
        }
        return refuse(
            group, level,
            fmt::format("group {} needs one {}; no node of {} is in any", name_of(group), level, path_of(outer)));
    }

    bool packs_alone(std::uint32_t group, const std::vector<ScopeId>& candidates) {
        const PlacedGroup pick{.group = group, .scope = everywhere, .seats = shortage_.smallest_seats(group)};
        std::vector<PodBatch> lots = a_.draft.lots_of(std::span(&pick, 1));
        return std::ranges::any_of(candidates, [&](ScopeId scope) {
            for (PodBatch& lot : lots) {
                lot.scope = scope;
            }
            Packing packing(a_.snapshot, a_.room, a_.needs, a_.scopes, a_.gauges, steps_);
            return steps_.is_over() || packing.pack(lots).verdict != Verdict::proved_not_to_fit;
        });
    }

    Refusal unpackable(std::uint32_t group, ScopeId best) const {
        const std::string level = level_of(group);
        return refuse(group, level,
                      fmt::format("group {} needs {}{}; {} has the room, but not on nodes that its pods fit",
                                  name_of(group), counted(a_.needs.groups[group].lacking, "seat"),
                                  level.empty() ? "" : fmt::format(" in one {}", level), path_of(best)));
    }

    ScopeId best_of(std::uint32_t group, const std::vector<ScopeId>& candidates) const {
        const std::vector<std::int64_t> seats = shortage_.smallest_seats(group);
        const std::span<const std::int64_t> demand = a_.search.least(Search::Goal::minimum, group);
        const auto key = [&](ScopeId scope) {
            const std::int64_t slots = demand.empty() ? 0 : a_.gauges.cap(0, scope);
            const std::tuple rank{a_.gauges.admits(scope, demand), shortage_.room_for(seats, scope), slots};
            steps_.work(a_.gauges.take_work() + 2 * seats.size());
            return rank;
        };
        ScopeId best = candidates.front();
        auto best_key = key(best);
        for (std::size_t c = 1; c < candidates.size() && !steps_.is_over(); ++c) {
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
        return short_by_count(group, {.needed = needed, .fits = shortage_.room_for(seats, best), .how = ""}, best,
                              outer);
    }

    // A floor counts pods in whole groups (Z37); nullopt: there is none, or by count there is room for it.
    std::optional<Refusal> short_of_floor(std::uint32_t group, ScopeId best, ScopeId outer) {
        if (a_.gang.groups[group].floor == 0) {
            return std::nullopt;
        }
        const std::vector<std::int64_t> seats = shortage_.smallest_seats(group);
        const std::int64_t needed = std::accumulate(seats.begin(), seats.end(), std::int64_t{0});
        const std::int64_t fits = shortage_.room_for(seats, best);
        return fits < needed ? std::optional(short_by_count(
                                   group, {.needed = needed, .fits = fits, .how = " in whole groups"}, best, outer))
                             : std::nullopt;
    }

    struct Count {
        std::int64_t needed = 0;
        std::int64_t fits = 0;
        std::string how;              // What is asked of the seats beside their number.
        std::string what = {};        // Empty: seats.
        bool is_for_resource = true;  // For want of one.
    };

    // D16: the room is there, but not in enough domains.
    std::optional<Refusal> beyond_limit(std::uint32_t group, const std::vector<ScopeId>& candidates, ScopeId outer) {
        const auto limit = short_of_limit(a_, shortage_, group, candidates, steps_);
        if (!limit) {
            return std::nullopt;
        }
        const GangGroup& source = a_.gang.groups[group];
        Count count{.needed = limit->needed, .fits = limit->fits, .how = {}, .is_for_resource = false};
        count.how = fmt::format(" with at most {} in each {}", limit->most, key_of(limit->level));
        if (!source.is_leaf) {
            count.what = fmt::format("{} of its {} groups", count.needed, source.children.size());
        }
        return short_by_count(group, count, limit->best, outer);
    }

    Refusal short_by_count(std::uint32_t group, const Count& count, ScopeId best, ScopeId outer) {
        const std::vector<std::int64_t> seats = shortage_.smallest_seats(group);
        const std::string level = level_of(group);
        const bool is_empty = reason_ == model::Reason::impossible;
        std::string sentence = fmt::format("group {} needs {}{}", name_of(group),
                                           count.what.empty() ? counted(count.needed, "seat") : count.what, count.how);
        if (level.empty() || best == everywhere) {
            sentence += fmt::format("; {} has room for {}", path_of(best), count.fits);
        } else {
            sentence += fmt::format(" in one {}; the best, {}, has room for {}", level, path_of(best), count.fits);
        }
        sentence += is_empty ? " when empty" : "";
        if (count.fits < count.needed) {
            sentence += fmt::format(": {} missing", count.needed - count.fits);
        }
        sentence += count.is_for_resource ? fmt::format(" ({})", resource_missing_in(best, seats)) : "";
        if (const std::size_t unlabelled = shortage_.nodes_without_level(group, outer).size(); unlabelled > 0) {
            sentence += fmt::format("; {} without {}", counted(static_cast<std::int64_t>(unlabelled), "node"), level);
        }
        return refuse(group, level, std::move(sentence));
    }

    std::int64_t whole_multiples(std::size_t gauge, LevelRef level, std::int64_t multiple, ScopeId scope) {
        std::int64_t seats = 0;
        for (const ScopeId domain : a_.scopes.inside(level, scope)) {
            seats += a_.gauges.cap(gauge, domain) / multiple * multiple;
        }
        return seats;
    }

    // D13: the room is there, but not in whole multiples; nullopt: by count it would be, or members are unlike.
    std::optional<Refusal> short_of_multiples(std::uint32_t group, const std::vector<ScopeId>& candidates,
                                              ScopeId outer) {
        const std::vector<std::int64_t>& waiting_of = a_.needs.groups[group].waiting_of;
        const auto size = std::ranges::find_if(waiting_of, [](std::int64_t count) { return count > 0; });
        if (size == waiting_of.end() || *size != a_.needs.groups[group].waiting) {
            return std::nullopt;
        }
        const std::size_t gauge = CapacityBounds::slots_bound(static_cast<std::uint32_t>(size - waiting_of.begin()));
        for (const auto& [level, multiple] : a_.gang.groups[group].multiples) {
            if (!partial_multiples(a_.snapshot, a_.gang, group, level, multiple).empty()) {
                return std::nullopt;  // What is missing there is less than a multiple.
            }
            Count count{.needed = (a_.needs.groups[group].lacking + multiple - 1) / multiple * multiple,
                        .fits = -1,
                        .how = fmt::format(" in multiples of {} for each {}", multiple, key_of(level))};
            if (count.needed > *size) {
                return refuse(group, key_of(level),
                              fmt::format("group {} takes multiples of {} for each {} only; {} can be placed",
                                          name_of(group), multiple, key_of(level), counted(*size, "pod")));
            }
            ScopeId best = everywhere;
            for (const ScopeId scope : candidates) {
                const std::int64_t whole = whole_multiples(gauge, level, multiple, scope);
                best = whole > count.fits ? scope : best;
                count.fits = std::max(count.fits, whole);
            }
            if (count.fits < count.needed) {
                return short_by_count(group, count, best, outer);
            }
        }
        return std::nullopt;
    }

    std::string resource_missing_in(ScopeId scope, const std::vector<std::int64_t>& seats) const {
        const auto resource = shortage_.missing_in(scope, seats);
        return resource ? clip(a_.snapshot.resources[*resource]) : "no eligible node";
    }

    SearchContext& a_;
    model::Reason reason_;
    mutable SearchBudget steps_;  // Of the explanation alone: a refusal that used its budget up has a reason, too.
    Shortage shortage_;
};

}  // namespace

Refusal explain(SearchContext& attempt, model::Reason reason) {
    if (reason == model::Reason::out_of_budget) {
        return {.reason = reason,
                .group = attempt.gang.groups[0].key.name,
                .level = "",
                .sentence =
                    fmt::format("group {} may or may not fit: {}", clip(attempt.gang.groups[0].key.name),
                                attempt.gang.kinship.is_exact ? "the search ended at its budget without a proof"
                                                              : "not every way to meet its pod affinity was tried")};
    }
    return Diagnosis(attempt, reason).explain();
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

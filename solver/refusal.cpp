#include "solver/refusal.hpp"

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

std::string clip(const std::string& name) {
    return name.size() <= longest_name ? name : name.substr(0, longest_name - 3) + "...";
}

std::string counted(std::int64_t number, const char* what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

class Diagnosis {
public:
    Diagnosis(Attempt& attempt, model::Reason reason) : a_(attempt), reason_(reason) {}

    Refusal explain() {
        a_.draft.clear();
        if (!a_.needs.groups[0].is_satisfiable) {
            return too_few();
        }
        return failing(0, everywhere)
            .value_or(refuse(
                0, "", fmt::format("group {} fits nowhere as a whole, though each part alone has room", name_of(0))));
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
        const GroupNeeds& needs = a_.needs.groups[group];
        return refuse(group, "",
                      fmt::format("group {} has {} of {} {}", name_of(group),
                                  a_.gang.groups[group].is_leaf ? needs.counting + needs.waiting : 0, needs.minimum,
                                  a_.gang.groups[group].is_leaf ? "pods" : "groups"));
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
        const auto& required = a_.gang.groups[group].required;
        return required.empty() ? "" : key_of(*std::ranges::max_element(required, {}, &LevelRef::depth));
    }

    // The sentence about a group that alone can't be placed in `outer`; nullopt: alone it could be.
    std::optional<Refusal> failing(std::uint32_t group, ScopeId outer) {
        if (!a_.needs.groups[group].split.empty()) {
            return split(group, a_.needs.groups[group].split.front());
        }
        const std::vector<ScopeId> candidates = a_.scopes.candidates(group, outer);
        if (candidates.empty()) {
            return no_domain(group, outer);
        }
        const std::span<const std::int64_t> demand = a_.search.least(Search::Ask::minimum, group);
        const ScopeId best = best_of(group, candidates);
        if (a_.gang.groups[group].is_leaf) {
            if (std::ranges::any_of(candidates, [&](ScopeId scope) { return a_.gauges.admits(scope, demand); })) {
                return packs_alone(group, candidates) ? std::nullopt : std::optional(unpackable(group, best));
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
        const std::span<const std::int64_t> demand = a_.search.least(Search::Ask::minimum, group);
        if (std::ranges::none_of(candidates, [&](ScopeId scope) { return a_.gauges.admits(scope, demand); })) {
            return short_of_room(group, best, outer);
        }
        if (group != 0) {
            return std::nullopt;
        }
        const std::string level = level_of(group);
        const std::string where = level.empty() ? "" : fmt::format(" in one {}", level);
        return refuse(group, level,
                      fmt::format("group {} needs {} of its {} groups{}; {} has room for some, not for all at once",
                                  name_of(group), a_.needs.groups[group].minimum, a_.gang.groups[group].children.size(),
                                  where, path_of(best)));
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
        const Pick pick{.group = group, .scope = everywhere, .seats = smallest_seats(group)};
        std::vector<Lot> lots = a_.draft.lots_of(std::span(&pick, 1));
        return std::ranges::any_of(candidates, [&](ScopeId scope) {
            for (Lot& lot : lots) {
                lot.scope = scope;
            }
            Steps steps(10'000);
            Packing packing(a_.snapshot, a_.room, a_.needs, a_.scopes, a_.gauges, steps);
            return packing.pack(lots).verdict != Verdict::proved_not_to_fit;
        });
    }

    Refusal unpackable(std::uint32_t group, ScopeId best) const {
        const std::string level = level_of(group);
        return refuse(group, level,
                      fmt::format("group {} needs {}{}; {} has the room, but not on nodes that its pods fit",
                                  name_of(group), counted(a_.needs.groups[group].lacking, "seat"),
                                  level.empty() ? "" : fmt::format(" in one {}", level), path_of(best)));
    }

    // What the minimum asks at least, size by size: what the leaves below would take when the easiest are chosen.
    std::vector<std::int64_t> smallest_seats(std::uint32_t group) const {
        std::vector<std::int64_t> seats(a_.needs.sizes.size(), 0);
        const GangGroup& source = a_.gang.groups[group];
        if (source.is_leaf) {
            std::int64_t left = a_.needs.groups[group].lacking;
            std::vector<std::uint32_t> order(seats.size());
            std::iota(order.begin(), order.end(), 0U);
            std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::uint32_t s) { return ease_of(s); });
            for (const std::uint32_t size : order) {
                seats[size] = std::min(left, a_.needs.groups[group].waiting_of[size]);
                left -= seats[size];
            }
            return seats;
        }
        std::vector<std::vector<std::int64_t>> below;
        for (const std::uint32_t child : source.children) {
            if (a_.needs.groups[child].is_satisfiable) {
                below.push_back(smallest_seats(child));
            }
        }
        const auto total = [](const auto& v) { return std::accumulate(v.begin(), v.end(), std::int64_t{0}); };
        std::ranges::stable_sort(below, {}, total);
        for (std::int64_t i = 0; i < a_.needs.groups[group].minimum && i < std::ssize(below); ++i) {
            for (std::size_t s = 0; s < seats.size(); ++s) {
                seats[s] += below[static_cast<std::size_t>(i)][s];
            }
        }
        return seats;
    }

    std::int64_t ease_of(std::uint32_t size) const { return a_.gauges.cap(Gauges::slots_gauge(size), everywhere); }

    // How many of these seats a scope could give, by count.
    std::int64_t room_for(const std::vector<std::int64_t>& seats, ScopeId scope) const {
        const std::int64_t all = std::accumulate(seats.begin(), seats.end(), std::int64_t{0});
        std::int64_t most = all;
        for (std::uint32_t size = 0; size < seats.size(); ++size) {
            const std::size_t gauge = Gauges::slots_gauge(size);
            const std::int64_t as_large = a_.gauges.weight(gauge, seats);
            most = std::min(most, all - as_large + std::min(as_large, a_.gauges.cap(gauge, scope)));
        }
        return most;
    }

    ScopeId best_of(std::uint32_t group, const std::vector<ScopeId>& candidates) const {
        const std::vector<std::int64_t> seats = smallest_seats(group);
        const std::span<const std::int64_t> demand = a_.search.least(Search::Ask::minimum, group);
        return *std::ranges::max_element(candidates, [&](ScopeId x, ScopeId y) {
            const auto key = [&](ScopeId scope) {
                const std::int64_t slots = demand.empty() ? 0 : a_.gauges.cap(0, scope);
                return std::tuple{a_.gauges.admits(scope, demand), room_for(seats, scope), slots};
            };
            return key(x) < key(y);
        });
    }

    Refusal short_of_room(std::uint32_t group, ScopeId best, ScopeId outer) {
        const std::vector<std::int64_t> seats = smallest_seats(group);
        const std::int64_t needed = std::accumulate(seats.begin(), seats.end(), std::int64_t{0});
        const std::int64_t fits = room_for(seats, best);
        const std::string level = level_of(group);
        const bool is_empty = reason_ == model::Reason::impossible;
        std::string sentence = fmt::format("group {} needs {}", name_of(group), counted(needed, "seat"));
        if (level.empty() || best == everywhere) {
            sentence += fmt::format("; {} has room for {}", path_of(best), fits);
        } else {
            sentence += fmt::format(" in one {}; the best, {}, has room for {}", level, path_of(best), fits);
        }
        sentence += is_empty ? " when empty" : "";
        if (fits < needed) {
            sentence += fmt::format(": {} missing", needed - fits);
        }
        sentence += fmt::format(" ({})", missing_in(best, seats));
        if (const std::size_t unlabelled = nodes_without(group, outer); unlabelled > 0) {
            sentence += fmt::format("; {} without {}", counted(static_cast<std::int64_t>(unlabelled), "node"), level);
        }
        return refuse(group, level, std::move(sentence));
    }

    std::size_t nodes_without(std::uint32_t group, ScopeId outer) const {
        const auto& required = a_.gang.groups[group].required;
        if (required.empty()) {
            return 0;
        }
        const LevelRef level = *std::ranges::max_element(required, {}, &LevelRef::depth);
        const auto& domain_of = a_.snapshot.trees[level.tree].domain_of[level.depth];
        const std::vector<NodeId> nodes = a_.scopes.nodes_of(outer);
        return static_cast<std::size_t>(std::ranges::count_if(
            nodes, [&](NodeId node) { return domain_of[node] == model::nowhere && a_.snapshot.usable[node] != 0; }));
    }

    // The resource without which the hardest of these pods would have most slots.
    std::string missing_in(ScopeId scope, const std::vector<std::int64_t>& seats) const {
        std::uint32_t hardest = 0;
        for (std::uint32_t size = 0; size < seats.size(); ++size) {
            hardest = seats[size] > 0 && (seats[hardest] == 0 || ease_of(size) < ease_of(hardest)) ? size : hardest;
        }
        const model::ShapeId shape = a_.needs.sizes[hardest];
        const std::vector<NodeId> nodes = a_.scopes.nodes_of(scope);
        std::string answer;
        std::int64_t most = -1;
        for (std::size_t without = 0; without < a_.snapshot.resources.size(); ++without) {
            if (a_.snapshot.need[shape][without] <= 0) {
                continue;
            }
            std::int64_t slots = 0;
            for (const NodeId node : nodes) {
                slots += a_.snapshot.eligible[shape][node] != 0 ? slots_without(shape, node, without) : 0;
            }
            if (slots > most) {
                most = slots;
                answer = a_.snapshot.resources[without];
            }
        }
        return most > 0 ? clip(answer) : "no eligible node";
    }

    std::int64_t slots_without(model::ShapeId shape, NodeId node, std::size_t without) const {
        std::int64_t slots = std::int64_t{1} << 20U;
        for (std::size_t r = 0; r < a_.snapshot.resources.size(); ++r) {
            if (const std::int64_t need = a_.snapshot.need[shape][r]; need > 0 && r != without) {
                slots = std::min(slots, std::max<std::int64_t>(0, a_.room[r][node]) / need);
            }
        }
        return slots;
    }

    Attempt& a_;
    model::Reason reason_;
};

}  // namespace

Refusal explain(Attempt& attempt, model::Reason reason) {
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

}  // namespace echelon::solver

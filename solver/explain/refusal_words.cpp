#include "solver/explain/refusal_words.hpp"

#include "base/counted.hpp"
#include "solver/explain/affinity_loss.hpp"
#include "solver/explain/domain_rule_words.hpp"

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::solver {
namespace {

using model::LevelRef;
using model::NodeId;

constexpr std::size_t longest_name = 90;  // Names come from users and may be long; a sentence must not be.

std::string clip(const std::string& name) {
    return name.size() <= longest_name ? name : name.substr(0, longest_name - 3) + "...";
}

// " in one example.com/rack"; empty: no level is required.
std::string in_one(const std::string& level) {
    return level.empty() ? "" : fmt::format(" in one {}", level);
}

}  // namespace

std::string RefusalWords::name_of(std::uint32_t group) const {
    return clip(group_at(group).key.name);
}

const std::string& RefusalWords::key_of(LevelRef level) const {
    return context_.snapshot.trees[level.tree].keys[level.depth];
}

std::string RefusalWords::path_of(ScopeId scope) const {
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

std::string RefusalWords::level_of(std::uint32_t group) const {
    const auto level = narrowest_required(group_at(group));
    return level ? key_of(*level) : "";
}

Refusal RefusalWords::refuse(std::uint32_t group, std::string level, std::string sentence) const {
    return {.reason = reason_,
            .group = group_at(group).key.name,
            .level = std::move(level),
            .sentence = std::move(sentence)};
}

Refusal RefusalWords::fits_nowhere() const {
    return refuse(0, "",
                  fmt::format("group {} fits nowhere as a whole{}, though each part alone has room", name_of(0),
                              domain_rules_in_words(context_, 0)));
}

Refusal RefusalWords::too_few_members(std::uint32_t group) const {
    const GroupDemand& own = demand_for(group);
    const model::GangGroup& source = group_at(group);
    Refusal refusal = refuse(group, "",
                             fmt::format("group {} has {} of {} {}", name_of(group),
                                         source.is_leaf ? own.counting + own.waiting - source.earlier_members : 0,
                                         own.minimum - source.earlier_members, source.is_leaf ? "pods" : "groups"));
    refusal.reason = model::Reason::incomplete;
    return refusal;
}

Refusal RefusalWords::split(std::uint32_t group, LevelRef level) const {
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
                  other.empty()
                      ? fmt::format("group {} must stay in one {}, but runs on {}", name_of(group), key_of(level), one)
                      : fmt::format("group {} must stay in one {}, but runs in {} and {}", name_of(group),
                                    key_of(level), one, other));
}

Refusal RefusalWords::no_domain(std::uint32_t group, ScopeId outer) const {
    const std::string level = level_of(group);
    if (!demand_for(group).bound_nodes.empty()) {
        const NodeId node = demand_for(group).bound_nodes.front();
        return refuse(group, level,
                      fmt::format("group {} runs on {}, which is outside {}", name_of(group),
                                  clip(context_.snapshot.node_names[node]), path_of(outer)));
    }
    return refuse(group, level,
                  fmt::format("group {} needs one {}; no node of {} is in any", name_of(group), level, path_of(outer)));
}

Refusal RefusalWords::not_at_once(std::uint32_t group, ScopeId best) const {
    const std::string level = level_of(group);
    const std::int64_t uncounted = group_at(group).uncounted_children;
    return refuse(
        group, level,
        fmt::format("group {} needs {} of {} groups{}{}; {} has room for some, not for all at once", name_of(group),
                    demand_for(group).minimum - uncounted, std::ssize(group_at(group).children) - uncounted,
                    domain_rules_in_words(context_, group), in_one(level), path_of(best)));
}

Refusal RefusalWords::unpackable(std::uint32_t group, ScopeId best) const {
    const std::string level = level_of(group);
    const bool is_apart = are_kept_apart(context_.demand, shortage_, best, shortage_.smallest_seats(group));
    return refuse(
        group, level,
        fmt::format("group {} needs {}{}; {} has the room, but {}", name_of(group),
                    base::counted(demand_for(group).lacking, "seat"), in_one(level), path_of(best),
                    is_apart ? fmt::format("its pods are {}", kept_apart) : "not on nodes that its pods fit"));
}

Refusal RefusalWords::not_in_multiples(std::uint32_t group, LevelRef level, std::int64_t multiple,
                                       std::int64_t pods) const {
    return refuse(group, key_of(level),
                  fmt::format("group {} takes multiples of {} for each {} only; {} can be placed", name_of(group),
                              multiple, key_of(level), base::counted(pods, "pod")));
}

Refusal RefusalWords::short_by_count(std::uint32_t group, const CountedRoom& count, ScopeId best, ScopeId outer) const {
    const std::string level = level_of(group);
    const bool is_empty = reason_ == model::Reason::impossible;
    const char* at_most = count.is_exact ? "" : "at most ";
    std::string sentence =
        fmt::format("group {} needs {}{}", name_of(group),
                    count.counts_groups ? fmt::format("{} of {} groups", count.needed, group_at(group).children.size())
                                        : base::counted(count.needed, "seat"),
                    count.how);
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
    sentence += count.is_for_resource ? fmt::format(" ({})", cause_in(best, group)) : "";
    if (const std::size_t unlabelled = shortage_.nodes_without_level(group, outer).size(); unlabelled > 0) {
        sentence += fmt::format("; {} without {}", base::counted(static_cast<std::int64_t>(unlabelled), "node"), level);
    }
    return refuse(group, level, std::move(sentence));
}

std::string RefusalWords::cause_in(ScopeId best, std::uint32_t group) const {
    const std::vector<std::int64_t> seats = shortage_.smallest_seats(group);
    const std::string resource = clip(shortage_.missing_in_words(best, seats));
    const std::string kept = shortage_.affinity_loss(best, seats).words(best != everywhere);
    if (resource.empty()) {
        return kept.empty() ? "no eligible node" : kept;
    }
    return resource + (kept.empty() ? "" : "; " + kept);
}

std::string RefusalWords::within_limit(std::int64_t most, LevelRef level) const {
    return fmt::format(" with at most {} in each {}", most, key_of(level));
}

std::string RefusalWords::in_multiples(std::int64_t multiple, LevelRef level) const {
    return fmt::format(" in multiples of {} for each {}", multiple, key_of(level));
}

Refusal unproved(const model::Gang& gang) {
    const std::string& name = gang.groups[0].key.name;
    return {.reason = model::Reason::out_of_budget,
            .group = name,
            .level = "",
            .sentence = fmt::format("group {} may or may not fit: {}", clip(name),
                                    gang.affinity.is_exact ? "the search ended at its budget without a proof"
                                                           : "not every way to meet its pod affinity was tried")};
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

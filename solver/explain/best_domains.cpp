#include "solver/explain/best_domains.hpp"

#include "solver/explain/affinity_loss.hpp"
#include "solver/explain/shortage.hpp"
#include "solver/packing/capacity_bounds.hpp"
#include "solver/packing/scopes.hpp"
#include "solver/search/sub_gang.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace echelon::solver {
namespace {

using model::ExplainedDomain;
using model::ExplainedGroup;
using model::LevelRef;
using model::NodeId;

constexpr std::size_t most_domains = 3;
constexpr std::size_t most_classes = 3;
constexpr std::size_t most_nodes_named = 3;

// The group inherits what its ancestors require, so that its candidates are those inside theirs (D2).
SubGang part_of(const model::Gang& gang, std::uint32_t group) {
    SubGang part = sub_gang_of(gang, group);
    part.gang.co_location = gang.co_location;
    part.gang.affinity.together = gang.affinity.together;
    auto& required = part.gang.groups[part.group].required;
    for (auto at = part.gang.groups[part.group].parent; at != model::nowhere; at = part.gang.groups[at].parent) {
        const auto& wider = part.gang.groups[at].required;
        required.insert(required.end(), wider.begin(), wider.end());
    }
    std::ranges::sort(required);
    required.erase(std::ranges::unique(required).begin(), required.end());
    return part;
}

// The capacity minus what the gang's own bound members use.
Room capacity_without_own_members(const ExplainContext& context) {
    Room room = context.snapshot.capacity;
    for (const model::Member& member : context.gang.members) {
        if (member.state != model::Member::State::bound || member.node == model::nowhere) {
            continue;
        }
        for (std::size_t r = 0; r < room.size(); ++r) {
            room[r][member.node] -= context.snapshot.need[member.pod_class][r];
        }
    }
    return room;
}

Occupancy occupancy_of(const ExplainContext& context) {
    return &context.room == &context.snapshot.capacity ? Occupancy::empty : Occupancy::now;
}

// No other pod keeps its members away. They must still be near those that affinity names, and near the gang's anchor.
model::Gang beside_no_others(const model::Snapshot& snapshot, model::Gang gang) {
    auto& barred = gang.affinity.barred;
    for (std::uint32_t affinity_class = 0; affinity_class < barred.size(); ++affinity_class) {
        barred[affinity_class] = kept_elsewhere(snapshot, gang, affinity_class);
    }
    return gang;
}

// One row of an explanation: what the group finds now, and what it would find without other pods.
class DomainReport {
public:
    DomainReport(const ExplainContext& context, std::uint32_t group)
        : context_(context),
          part_(part_of(context.gang, group)),
          alone_(beside_no_others(context.snapshot, part_.gang)),
          empty_room_(capacity_without_own_members(context)),
          demand_(demand_of(context.snapshot, part_.gang, occupancy_of(context))),
          empty_demand_(demand_of(context.snapshot, alone_, Occupancy::empty)),
          scopes_(context.snapshot, part_.gang, demand_),
          bounds_(context.snapshot, context.room, demand_, scopes_),
          empty_bounds_(context.snapshot, empty_room_, empty_demand_, scopes_),
          now_(context.snapshot, context.room, part_.gang, demand_, scopes_, bounds_),
          when_empty_(context.snapshot, empty_room_, alone_, empty_demand_, scopes_, empty_bounds_) {}

    void fill(ExplainedGroup& row) {
        seats_ = now_.smallest_seats(part_.group);
        row.needed = std::accumulate(seats_.begin(), seats_.end(), std::int64_t{0});
        const std::vector<NodeId> unlabelled = now_.nodes_without_level(part_.group, everywhere);
        row.nodes_without_level = unlabelled.size();
        for (std::size_t i = 0; i < unlabelled.size() && i < most_nodes_named; ++i) {
            row.nodes_named.push_back(context_.snapshot.node_names[unlabelled[i]]);
        }
        const std::vector<ScopeId> best = best_scopes(row);
        list_classes(row, best);
        for (const ScopeId scope : best) {
            row.domains.push_back(domain(scope));
        }
    }

private:
    // True if members of an ancestor run in another domain, which the ancestor keeps (D7).
    [[nodiscard]] bool is_pinned_elsewhere(ScopeId scope) const {
        const std::vector<NodeId> nodes = scopes_.nodes_of(scope);
        const auto& groups = part_.gang.groups;
        for (auto at = groups[part_.group].parent; at != model::nowhere; at = groups[at].parent) {
            const std::vector<NodeId>& bound = demand_.groups[at].bound_nodes;
            const auto is_outside = [&](LevelRef level) {
                const auto& domain_of = context_.snapshot.trees[level.tree].domain_of[level.depth];
                return nodes.empty() || domain_of[nodes.front()] != domain_of[bound.front()];
            };
            if (!bound.empty() && std::ranges::any_of(groups[at].required, is_outside)) {
                return true;
            }
        }
        return false;
    }

    std::vector<ScopeId> best_scopes(ExplainedGroup& row) {
        std::vector<ScopeId> scopes = scopes_.candidates(part_.group, everywhere);
        std::erase_if(scopes, [&](ScopeId scope) { return is_pinned_elsewhere(scope); });
        std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::size_t>> ranks;
        const std::size_t hardest = CapacityBounds::slots_bound(now_.hardest(seats_));
        for (std::size_t i = 0; i < scopes.size(); ++i) {
            const std::int64_t slots = seats_.empty() ? 0 : bounds_.capacity(hardest, scopes[i]);
            ranks.emplace_back(-now_.room_for(seats_, scopes[i]), -slots, -when_empty_.room_for(seats_, scopes[i]), i);
        }
        const std::size_t shown = std::min(most_domains, scopes.size());
        std::ranges::partial_sort(ranks, ranks.begin() + static_cast<std::ptrdiff_t>(shown));
        std::vector<ScopeId> best;
        best.reserve(shown);
        for (std::size_t i = 0; i < shown; ++i) {
            best.push_back(scopes[std::get<3>(ranks[i])]);
        }
        row.domains_left_out = scopes.size() - shown;
        return best;
    }

    void list_classes(ExplainedGroup& row, const std::vector<ScopeId>& best) {
        std::vector<std::uint32_t> order;
        for (std::uint32_t member_class = 0; member_class < seats_.size(); ++member_class) {
            if (seats_[member_class] > 0) {
                order.push_back(member_class);
            }
        }
        const auto slots = [&](std::uint32_t member_class) {
            return bounds_.capacity(CapacityBounds::slots_bound(member_class),
                                    best.empty() ? everywhere : best.front());
        };
        std::ranges::stable_sort(order, {}, slots);
        for (const std::uint32_t member_class : order) {
            if (row.sizes.size() == most_classes) {
                break;
            }
            model::ExplainedClass shown;
            const auto& need = context_.snapshot.need[demand_.classes[member_class]];
            for (std::size_t r = 0; r < need.size(); ++r) {
                if (need[r] > 0) {
                    shown.requests.set(context_.snapshot.resources[r], need[r]);
                }
            }
            shown.needed = seats_[member_class];
            shown.room = std::min(seats_[member_class], slots(member_class));
            row.sizes.push_back(std::move(shown));
        }
    }

    ExplainedDomain domain(ScopeId scope) {
        ExplainedDomain shown;
        shown.path = path_of(scope);
        shown.room = now_.room_for(seats_, scope);
        shown.slots_when_empty = when_empty_.room_for(seats_, scope);
        if (seats_.empty()) {
            return shown;
        }
        const auto missing = now_.missing_in(scope, seats_);
        if (shown.room < std::accumulate(seats_.begin(), seats_.end(), std::int64_t{0})) {
            shown.missing = missing ? context_.snapshot.resources[*missing]
                                    : now_.affinity_loss(scope, seats_).words(scope != everywhere);
        } else if (part_.gang.groups[part_.group].is_leaf && are_kept_apart(demand_, now_, scope, seats_)) {
            shown.missing = kept_apart;
        }
        const bool is_named = missing && shown.missing == context_.snapshot.resources[*missing];
        const std::uint32_t scarcest = now_.scarcest(scope, seats_);
        Blocked blocked =
            blockers_in(context_.snapshot, context_.room, scopes_.nodes_of(scope), demand_.classes[scarcest],
                        context_.gang.affinity, affinity_class_of(part_.gang, demand_, scarcest),
                        is_named ? missing : std::nullopt, context_.occupants_by_node, context_.node_facts);
        shown.blockers = std::move(blocked.blockers);
        shown.blockers_left_out = blocked.left_out;
        return shown;
    }

    [[nodiscard]] std::string path_of(ScopeId scope) const {
        std::string path;
        for (const Place& place : scopes_[scope].places)
            path += (path.empty() ? "" : " and ") + solver::path_of(context_.snapshot, place);
        return path;
    }

    const ExplainContext& context_;
    SubGang part_;
    model::Gang alone_;
    Room empty_room_;
    Demand demand_;
    Demand empty_demand_;
    Scopes scopes_;
    CapacityBounds bounds_;
    CapacityBounds empty_bounds_;
    Shortage now_;
    Shortage when_empty_;
    std::vector<std::int64_t> seats_;
};

}  // namespace

void describe_domains(const ExplainContext& context, std::uint32_t group, model::ExplainedGroup& row) {
    DomainReport(context, group).fill(row);
}

std::optional<LevelRef> level_of(const model::Gang& gang, std::uint32_t group) {
    std::optional<LevelRef> narrowest;
    for (std::uint32_t at = group; at != model::nowhere; at = gang.groups[at].parent) {
        const auto level = narrowest_required(gang.groups[at]);
        if (level && (!narrowest || (level->tree == narrowest->tree && level->depth > narrowest->depth)))
            narrowest = level;
    }
    return narrowest;
}

}  // namespace echelon::solver

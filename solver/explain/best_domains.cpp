#include "solver/explain/best_domains.hpp"

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
constexpr std::size_t most_sizes = 3;
constexpr std::size_t most_nodes_named = 3;

// The group inherits what its ancestors require, so that its candidates are those inside theirs (D2).
void inherit_levels(SubGang& part) {
    auto& required = part.gang.groups[part.group].required;
    for (auto at = part.gang.groups[part.group].parent; at != model::nowhere; at = part.gang.groups[at].parent) {
        const auto& wider = part.gang.groups[at].required;
        required.insert(required.end(), wider.begin(), wider.end());
    }
    std::ranges::sort(required);
    required.erase(std::ranges::unique(required).begin(), required.end());
}

// The capacity without the gang's own running members: what they sit on stays theirs.
Room room_of_others_gone(const ExplainContext& setting) {
    Room room = setting.snapshot.capacity;
    for (const model::Member& member : setting.gang.members) {
        if (member.state != model::Member::State::bound || member.node == model::nowhere) {
            continue;
        }
        for (std::size_t r = 0; r < room.size(); ++r) {
            room[r][member.node] -= setting.snapshot.need[member.shape][r];
        }
    }
    return room;
}

class Look {
public:
    Look(const ExplainContext& setting, std::uint32_t group)
        : setting_(setting),
          part_(sub_gang_of(setting.gang, group)),
          empty_room_(room_of_others_gone(setting)),
          needs_((inherit_levels(part_), demand_of(setting.snapshot, part_.gang))),
          scopes_(setting.snapshot, part_.gang, needs_),
          gauges_(setting.snapshot, setting.room, needs_, scopes_),
          empty_gauges_(setting.snapshot, empty_room_, needs_, scopes_),
          now_(setting.snapshot, setting.room, part_.gang, needs_, scopes_, gauges_),
          when_empty_(setting.snapshot, empty_room_, part_.gang, needs_, scopes_, empty_gauges_) {}

    void fill(ExplainedGroup& row) {
        seats_ = now_.smallest_seats(part_.group);
        row.needed = std::accumulate(seats_.begin(), seats_.end(), std::int64_t{0});
        const std::vector<NodeId> unlabelled = now_.nodes_without_level(part_.group, everywhere);
        row.nodes_without_level = unlabelled.size();
        for (std::size_t i = 0; i < unlabelled.size() && i < most_nodes_named; ++i) {
            row.nodes_named.push_back(setting_.snapshot.node_names[unlabelled[i]]);
        }
        const std::vector<ScopeId> best = best_scopes(row);
        list_sizes(row, best);
        for (const ScopeId scope : best) {
            row.domains.push_back(domain(scope));
        }
    }

private:
    // Ancestors whose members run somewhere keep their domain (D7).
    [[nodiscard]] bool is_pinned_elsewhere(ScopeId scope) const {
        const std::vector<NodeId> nodes = scopes_.nodes_of(scope);
        const auto& groups = part_.gang.groups;
        for (auto at = groups[part_.group].parent; at != model::nowhere; at = groups[at].parent) {
            const std::vector<NodeId>& bound = needs_.groups[at].bound;
            const auto leaves = [&](LevelRef level) {
                const auto& domain_of = setting_.snapshot.trees[level.tree].domain_of[level.depth];
                return nodes.empty() || domain_of[nodes.front()] != domain_of[bound.front()];
            };
            if (!bound.empty() && std::ranges::any_of(groups[at].required, leaves)) {
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
            const std::int64_t slots = seats_.empty() ? 0 : gauges_.cap(hardest, scopes[i]);
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

    void list_sizes(ExplainedGroup& row, const std::vector<ScopeId>& best) {
        std::vector<std::uint32_t> order;
        for (std::uint32_t size = 0; size < seats_.size(); ++size) {
            if (seats_[size] > 0) {
                order.push_back(size);
            }
        }
        const auto slots = [&](std::uint32_t size) {
            return gauges_.cap(CapacityBounds::slots_bound(size), best.empty() ? everywhere : best.front());
        };
        std::ranges::stable_sort(order, {}, slots);
        for (const std::uint32_t size : order) {
            if (row.sizes.size() == most_sizes) {
                break;
            }
            model::ExplainedClass shown;
            const auto& need = setting_.snapshot.need[needs_.sizes[size]];
            for (std::size_t r = 0; r < need.size(); ++r) {
                if (need[r] > 0) {
                    shown.requests.set(setting_.snapshot.resources[r], need[r]);
                }
            }
            shown.needed = seats_[size];
            shown.room = std::min(seats_[size], slots(size));
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
        const bool is_short = shown.room < std::accumulate(seats_.begin(), seats_.end(), std::int64_t{0});
        if (missing && is_short) {
            shown.missing = setting_.snapshot.resources[*missing];
        }
        const std::uint32_t hardest = now_.hardest(seats_);
        Blocked blocked = blockers_in(setting_.snapshot, setting_.room, scopes_.nodes_of(scope), needs_.sizes[hardest],
                                      setting_.gang.kinship, kin_of(hardest), missing, setting_.crowd, setting_.facts);
        shown.blockers = std::move(blocked.blockers);
        shown.blockers_left_out = blocked.left_out;
        return shown;
    }

    // Members of one size are of one kin.
    [[nodiscard]] std::uint32_t kin_of(std::uint32_t size) const {
        const auto member = std::ranges::find(needs_.size_of, size) - needs_.size_of.begin();
        return part_.gang.members[static_cast<std::size_t>(member)].kin;
    }

    [[nodiscard]] std::string path_of(ScopeId scope) const {
        std::string path;
        for (const Place& place : scopes_[scope].places) {
            const auto& domain = setting_.snapshot.trees[place.level.tree].domains[place.level.depth][place.domain];
            path += (path.empty() ? "" : " and ") + domain.path;
        }
        return path;
    }

    const ExplainContext& setting_;
    SubGang part_;
    Room empty_room_;
    Demand needs_;
    Scopes scopes_;
    CapacityBounds gauges_;
    CapacityBounds empty_gauges_;
    Shortage now_;
    Shortage when_empty_;
    std::vector<std::int64_t> seats_;
};

}  // namespace

void describe_domains(const ExplainContext& setting, std::uint32_t group, model::ExplainedGroup& row) {
    Look(setting, group).fill(row);
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

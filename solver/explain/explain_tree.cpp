#include "solver/explain/explain_tree.hpp"

#include "model/gang/member_names.hpp"
#include "solver/explain/best_domains.hpp"
#include "solver/explain/outcome.hpp"
#include "solver/search/sub_gang.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace echelon::solver {
namespace {

using model::ExplainedGroup;
using model::Explanation;
using model::Gang;
using model::GangGroup;
using model::Member;
using model::NodeId;
using model::Reason;
using model::Snapshot;
using Status = ExplainedGroup::Status;

constexpr std::size_t most_groups = 32;
constexpr std::size_t most_described = 8;   // Groups whose domains are described.
constexpr std::uint32_t most_solves = 200;  // Interchangeable groups share one.

// What the explanation is about: the cluster now, or the empty one if the gang is impossible.
struct Subject {
    Snapshot snapshot;
    Gang gang;
    std::vector<Occupant> occupants;
};

Subject subject_of(const Snapshot& snapshot, const Gang& gang, Reason reason, const ClusterContext& surroundings) {
    Subject subject{snapshot, gang, {}};
    if (reason != Reason::impossible) {
        std::set<std::string_view> own;
        for (const Member& member : gang.members) {
            own.insert(member.pod);
        }
        std::ranges::copy_if(surroundings.occupants, std::back_inserter(subject.occupants),
                             [&](const Occupant& occupant) { return !own.contains(occupant.pod); });
        return subject;
    }
    subject.snapshot.room = snapshot.capacity;
    subject.gang = free_to_move(gang);
    return subject;
}

class TreeBuilder {
public:
    TreeBuilder(Subject subject, std::span<const model::Node> node_facts, SolveOptions budget)
        : subject_(std::move(subject)),
          node_facts_(node_facts),
          budget_(budget),
          demand_(demand_of(subject_.snapshot, subject_.gang)),
          occupants_by_node_(subject_.occupants, subject_.snapshot.node_count()) {}

    Explanation answer(Reason reason) {
        Explanation explanation{.reason = reason, .groups = {}, .groups_left_out = 0};
        may_search_ = reason != Reason::incomplete;
        is_root_refused_ = reason == Reason::no_room || reason == Reason::impossible;
        visit(0);
        drop_minor_rows(explanation);
        return explanation;
    }

private:
    struct Row {
        ExplainedGroup shown;
        std::uint32_t symmetry_class = 0;
        std::uint32_t parent = 0;  // Index of the parent group.
        std::uint32_t group = 0;
    };

    const GangGroup& group(std::uint32_t g) const { return subject_.gang.groups[g]; }

    // Adds a row for the group, and rows for what matters below it. Returns the index of the group's row.
    std::size_t visit(std::uint32_t g) {
        const std::size_t index = rows_.size();
        rows_.push_back({.shown = facts_about(g),
                         .symmetry_class = demand_.groups[g].symmetry_class,
                         .parent = group(g).parent,
                         .group = g});
        const Status status = judge(g, index);
        rows_[index].shown.status = status;
        if (status == Status::culprit) {
            try_fewer(g, index);
        }
        return index;
    }

    ExplainedGroup facts_about(std::uint32_t g) const {
        const GangGroup& source = group(g);
        ExplainedGroup row;
        row.group = source.key.name;
        row.is_leaf = source.is_leaf;
        row.depth = source.parent == model::nowhere ? 0 : depth_of(source.parent) + 1;
        row.minimum = demand_.groups[g].minimum - source.earlier_members - source.uncounted_children;
        if (source.is_leaf) {
            row.existing = demand_.groups[g].counting + demand_.groups[g].waiting - source.earlier_members;
            row.counting = demand_.groups[g].counting - source.earlier_members;
            row.needed = demand_.groups[g].lacking;
        } else {
            row.existing = std::ranges::count_if(
                source.children, [&](std::uint32_t child) { return demand_.groups[child].is_satisfiable; });
            row.existing -= source.uncounted_children;
        }
        if (const auto level = level_of(subject_.gang, g)) {
            row.level = subject_.snapshot.trees[level->tree].keys[level->depth];
        }
        return row;
    }

    std::uint32_t depth_of(std::uint32_t g) const {
        std::uint32_t depth = 0;
        for (; group(g).parent != model::nowhere; g = group(g).parent) {
            ++depth;
        }
        return depth;
    }

    Status judge(std::uint32_t g, std::size_t index) {
        const GroupDemand& own_demand = demand_.groups[g];
        if (own_demand.is_satisfied) {
            return Status::satisfied;
        }
        if (!own_demand.split.empty()) {
            rows_[index].shown.split = split_of(g);
            return Status::culprit;
        }
        if (!own_demand.is_satisfiable) {
            return visit_incomplete(g, index);
        }
        if (!may_search_) {
            return Status::not_tried;
        }
        const auto alone = solve_alone(g);
        if (!alone) {
            return Status::not_tried;
        }
        if (const auto* plan = std::get_if<Plan>(&*alone)) {
            rows_[index].shown.domain = domain_in(sub_gang_of(subject_.gang, g), *plan);
            return Status::fits;
        }
        const std::int64_t placeable = visit_children(g, index);
        if (!std::get<Refusal>(*alone).is_proved() && (g != 0 || !is_root_refused_)) {
            return Status::unproved;
        }
        return group(g).is_leaf || placeable >= own_demand.minimum ? Status::culprit : Status::waits;
    }

    Status visit_incomplete(std::uint32_t g, std::size_t index) {
        const std::int64_t placeable = visit_children(g, index);
        const bool has_children = std::ssize(group(g).children) >= demand_.groups[g].minimum;
        return group(g).is_leaf || !has_children || placeable >= demand_.groups[g].minimum ? Status::incomplete
                                                                                           : Status::waits;
    }

    // Adds rows for the children. Returns how many could be satisfied, each alone. The first that can't is blamed.
    std::int64_t visit_children(std::uint32_t g, std::size_t index) {
        std::int64_t placeable = 0;
        for (const std::uint32_t child : group(g).children) {
            const std::size_t below = visit(child);
            const ExplainedGroup& shown = rows_[below].shown;
            const bool has_nowhere =
                shown.status == Status::culprit || shown.status == Status::waits || shown.status == Status::incomplete;
            placeable += has_nowhere ? 0 : 1;
            if (has_nowhere && rows_[index].shown.blamed_group.empty()) {
                rows_[index].shown.blamed_group = shown.status == Status::waits ? shown.blamed_group : shown.group;
            }
        }
        return placeable;
    }

    std::string split_of(std::uint32_t g) const {
        const model::LevelRef level = demand_.groups[g].split.front();
        const model::Tree& tree = subject_.snapshot.trees[level.tree];
        std::vector<std::string> places;
        for (const NodeId node : demand_.groups[g].bound_nodes) {
            const std::uint32_t domain = tree.domain_of[level.depth][node];
            std::string place = domain == model::nowhere
                                    ? fmt::format("node {} outside any", subject_.snapshot.node_names[node])
                                    : subject_.snapshot.path(level.tree, level.depth, node);
            if (places.size() < 2 && std::ranges::find(places, place) == places.end()) {
                places.push_back(std::move(place));
            }
        }
        return fmt::format("{}", fmt::join(places, " and "));
    }

    // Nullopt: the limit of solves is reached.
    std::optional<Answer> solve_alone(std::uint32_t g) {
        const std::pair key{group(g).parent, demand_.groups[g].symmetry_class};
        if (const auto known = solved_alone_.find(key); known != solved_alone_.end()) {
            return known->second;
        }
        if (solves_ == most_solves) {
            return std::nullopt;
        }
        ++solves_;
        return solved_alone_.emplace(key, solve(subject_.snapshot, sub_gang_of(subject_.gang, g).gang, budget_))
            .first->second;
    }

    std::string domain_in(const SubGang& part, const Plan& plan) const {
        return outcome(subject_.snapshot, part.gang, plan)[part.group].domain;
    }

    // Searches for the largest minimum that would fit. Children that have no seat in that plan are crowded out.
    void try_fewer(std::uint32_t g, std::size_t index) {
        if (!demand_.groups[g].split.empty() || described_ == most_described) {
            return;
        }
        SubGang part = sub_gang_of(subject_.gang, g);
        GangGroup& wanted = part.gang.groups[part.group];
        wanted.basic = false;
        wanted.floor = 0;
        std::optional<Plan> best;
        const std::int64_t left_out = wanted.earlier_members + wanted.uncounted_children;
        std::int64_t fits = left_out;
        std::int64_t fails = demand_.groups[g].minimum;
        bool is_proved = true;
        while (fits + 1 < fails && solves_ < most_solves) {
            wanted.minimum = fits + (fails - fits) / 2;
            ++solves_;
            Answer answer = solve(subject_.snapshot, part.gang, budget_);
            if (auto* plan = std::get_if<Plan>(&answer)) {
                fits = wanted.minimum;
                best = std::move(*plan);
            } else {
                fails = wanted.minimum;
                is_proved = is_proved && std::get<Refusal>(answer).is_proved();
            }
        }
        rows_[index].shown.at_once = fits - left_out;
        rows_[index].shown.is_at_least = !is_proved || fits + 1 < fails;
        ++described_;
        const ExplainContext context{subject_.snapshot, subject_.snapshot.room, subject_.gang, occupants_by_node_,
                                     node_facts_};
        describe_domains(context, g, rows_[index].shown);
        if (best && !group(g).is_leaf) {
            mark_crowded_out(g, part, *best, index);
        }
    }

    // How many seats of the plan are for placeholders of the leaf.
    static std::int64_t placeholders_in(const Gang& gang, const GangGroup& leaf, const Plan& plan) {
        return std::ranges::count_if(plan.seats, [&](const Seat& seat) {
            return leaf.is_leaf && seat.member >= leaf.first_member && seat.member < leaf.last_member &&
                   gang.members[seat.member].is_placeholder;
        });
    }

    // Marks the children that the largest plan leaves out, and describes what blocks them beside that plan.
    void mark_crowded_out(std::uint32_t g, const SubGang& part, Plan plan, std::size_t index) {
        const auto rows = outcome(subject_.snapshot, part.gang, plan);
        std::map<std::string, std::pair<bool, std::string>> found;  // [group] is it in the plan, and in which domain?
        for (std::size_t at = 0; at < rows.size(); ++at) {
            const auto placed = rows[at].placed + placeholders_in(part.gang, part.gang.groups[at], plan);
            found[rows[at].group] = {placed >= rows[at].minimum, rows[at].domain};
        }
        Snapshot taken = subject_.snapshot;
        std::vector<Occupant> occupants = subject_.occupants;
        for (Seat& seat : plan.seats) {
            const model::PodClassId pod_class = part.gang.members[seat.member].pod_class;
            taken.take(seat.node, pod_class);
            seat.member = part.members[seat.member];
            occupants.push_back(sibling_at(seat, pod_class));
        }
        const Gang placed = seated(subject_.gang, plan);
        const OccupantsByNode occupants_by_node(occupants, taken.node_count());
        const ExplainContext context{taken, taken.room, placed, occupants_by_node, node_facts_};
        for (std::size_t r = index + 1; r < rows_.size(); ++r) {
            ExplainedGroup& shown = rows_[r].shown;
            const auto& [is_in, domain] = found[shown.group];
            if (rows_[r].parent != g || shown.status != Status::fits) {
                continue;
            }
            if (is_in) {
                shown.domain = domain;
                continue;
            }
            shown.status = Status::is_crowded_out;
            shown.domain.clear();
            if (described_ < most_described) {
                ++described_;
                describe_domains(context, rows_[r].group, shown);
            }
        }
    }

    Occupant sibling_at(const Seat& seat, model::PodClassId pod_class) const {
        Occupant sibling{.kind = Occupant::Kind::sibling,
                         .pod = model::pod_of(subject_.gang, seat.member).str(),
                         .gang = {},
                         .node = seat.node,
                         .requests = {},
                         .priority = subject_.gang.priority};
        for (std::size_t r = 0; r < subject_.snapshot.resources.size(); ++r) {
            sibling.requests.set(subject_.snapshot.resources[r], subject_.snapshot.need[pod_class][r]);
        }
        for (const GangGroup& leaf : subject_.gang.groups) {
            if (leaf.is_leaf && seat.member >= leaf.first_member && seat.member < leaf.last_member) {
                sibling.gang = leaf.key.name;
            }
        }
        return sibling;
    }

    // Merges the rows of interchangeable siblings. If there are too many rows, those that name no problem are dropped
    // first.
    void drop_minor_rows(Explanation& explanation) {
        std::vector<std::uint8_t> is_dropped(rows_.size(), 0);
        std::map<std::tuple<std::uint32_t, std::uint32_t, Status>, std::size_t> first;
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            const Row& row = rows_[r];
            if (is_dropped[r] != 0) {
                continue;
            }
            const auto [known, is_new] = first.emplace(std::tuple{row.parent, row.symmetry_class, row.shown.status}, r);
            if (is_new) {
                continue;
            }
            ++rows_[known->second].shown.alike;
            is_dropped[r] = 1;
            for (std::size_t below = r + 1; below < rows_.size() && rows_[below].shown.depth > row.shown.depth;
                 ++below) {
                is_dropped[below] = 1;
            }
        }
        std::size_t room = most_groups;
        for (const bool with_problem : {true, false}) {
            for (std::size_t r = 0; r < rows_.size(); ++r) {
                if (is_dropped[r] != 0 || names_a_problem(rows_[r].shown) != with_problem) {
                    continue;
                }
                if (room > 0) {
                    --room;
                } else {
                    is_dropped[r] = 1;
                    ++explanation.groups_left_out;
                }
            }
        }
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            if (is_dropped[r] == 0) {
                explanation.groups.push_back(std::move(rows_[r].shown));
            }
        }
    }

    static bool names_a_problem(const ExplainedGroup& row) {
        return row.status != Status::fits && row.status != Status::satisfied && row.status != Status::not_tried;
    }

    Subject subject_;
    std::span<const model::Node> node_facts_;
    SolveOptions budget_;
    Demand demand_;
    OccupantsByNode occupants_by_node_;
    bool may_search_ = true;
    bool is_root_refused_ = false;  // A search with a larger budget has proved the refusal of the root.
    std::vector<Row> rows_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Answer> solved_alone_;  // By parent and symmetry class.
    std::uint32_t solves_ = 0;
    std::size_t described_ = 0;
};

}  // namespace

Explanation explain_tree(const Snapshot& snapshot, const Gang& gang, Reason reason, const ClusterContext& surroundings,
                         SolveOptions budget) {
    if (reason == Reason::invalid || gang.groups.empty()) {
        return {.reason = reason, .groups = {}, .groups_left_out = 0};
    }
    return TreeBuilder(subject_of(snapshot, gang, reason, surroundings), surroundings.nodes, budget).answer(reason);
}

}  // namespace echelon::solver

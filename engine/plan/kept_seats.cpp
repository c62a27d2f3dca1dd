#include "engine/plan/kept_seats.hpp"

#include "model/gang/member_names.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace echelon::engine {

namespace {

using Rows = std::unordered_map<std::string_view, std::uint32_t>;  // UID -> member index.

// Members that exist.
Rows rows_of(const model::Gang& gang) {
    Rows rows;
    for (std::uint32_t m = 0; m < gang.members.size(); ++m) {
        if (!gang.members[m].is_placeholder)
            rows.emplace(gang.members[m].uid, m);
    }
    return rows;
}

// Placeholders are only named where seats are held for them. `names`: the texts of the views.
void add_placeholders(const model::Gang& gang, std::deque<std::string>& names, Rows& rows) {
    for (std::uint32_t m = 0; m < gang.members.size(); ++m) {
        if (gang.members[m].is_placeholder)
            rows.emplace(names.emplace_back(model::uid_of(gang, m).str()), m);
    }
}

// True if the node is not overcommitted now that the pod's room is taken. Only resources that the pod requests matter,
// as for the solver and the referee.
bool is_not_overcommitted(const model::Snapshot& snapshot, model::NodeId node, model::PodClassId pod_class) {
    for (std::size_t r = 0; r < snapshot.room.size(); ++r) {
        if (snapshot.need[pod_class][r] > 0 && snapshot.room[r][node] < 0)
            return false;
    }
    return true;
}

void fix(model::Gang& gang, std::uint32_t member, model::NodeId node) {
    gang.members[member].state = model::Member::State::bound;
    gang.members[member].node = node;
}

void keep_seat(KeptSeats& kept, const model::Gang& built, std::uint32_t member, model::NodeId node) {
    if (!kept.fixed)
        kept.fixed = built;
    fix(*kept.fixed, member, node);
    kept.plan.seats.push_back({member, node});
}

// [group] The node of some bound member; nowhere: no member is bound.
std::vector<model::NodeId> anchors_of(const model::Gang& gang) {
    std::vector<model::NodeId> anchors(gang.groups.size(), model::nowhere);
    for (auto g = static_cast<std::uint32_t>(gang.groups.size()); g-- > 0;) {  // Children before parents.
        const auto& group = gang.groups[g];
        for (auto m = group.first_member; group.is_leaf && m < group.last_member; ++m) {
            if (gang.members[m].state == model::Member::State::bound)
                anchors[g] = gang.members[m].node;
        }
        if (group.parent != model::nowhere && anchors[g] != model::nowhere)
            anchors[group.parent] = anchors[g];
    }
    return anchors;
}

// [member] Its leaf.
std::vector<std::uint32_t> leaves_of(const model::Gang& gang) {
    std::vector<std::uint32_t> leaves(gang.members.size(), model::nowhere);
    for (std::uint32_t g = 0; g < gang.groups.size(); ++g) {
        const auto& group = gang.groups[g];
        for (auto m = group.first_member; group.is_leaf && m < group.last_member; ++m)
            leaves[m] = g;
    }
    return leaves;
}

// True if the node is in no domain of a level that the leaf or a group above it requires, or outside the one that bound
// members pin.
bool breaks_level(const model::Snapshot& snapshot, const model::Gang& gang, const std::vector<model::NodeId>& anchors,
                  std::uint32_t leaf, model::NodeId node) {
    auto g = leaf;
    while (g < gang.groups.size()) {
        for (const auto& level : gang.groups[g].required) {
            const auto& domain_of = snapshot.trees[level.tree].domain_of[level.depth];
            const bool is_pinned_elsewhere = anchors[g] != model::nowhere && domain_of[anchors[g]] != domain_of[node];
            if (domain_of[node] == model::nowhere || is_pinned_elsewhere)
                return true;
        }
        g = gang.groups[g].parent;
    }
    return false;
}

}  // namespace

TakenRoom fix_under_way(const GangState& gang, model::Gang& built, model::Snapshot& snapshot) {
    TakenRoom room(snapshot);
    if (gang.roster.counts().under_way() == 0)
        return room;
    const auto rows = rows_of(built);
    for (const auto& [uid, seat] : gang.roster.seats()) {
        const auto row = rows.find(uid);
        const auto node = snapshot.node(seat.node);
        if (!is_under_way(seat) || row == rows.end() || !node)
            continue;
        room.take(*node, built.members[row->second].pod_class);
        fix(built, row->second, *node);
    }
    return room;
}

bool return_to_previous_nodes(const GangState& gang, KeptSeats& kept, const model::Gang& built,
                              const model::Snapshot& snapshot) {
    const auto before = kept.plan.seats.size();
    const auto& previous_nodes = gang.tree().previous_nodes;
    for (std::uint32_t m = 0; m < built.members.size() && !previous_nodes.empty(); ++m) {
        const auto place = previous_nodes.find(built.members[m].pod);
        const auto known = place == previous_nodes.end() ? std::nullopt : snapshot.node(place->second);
        const auto node = known.value_or(model::nowhere);
        const auto pod_class = built.members[m].pod_class;
        const bool is_wanted = (kept.fixed ? *kept.fixed : built).members[m].state == model::Member::State::waiting &&
                               !built.members[m].is_placeholder;
        if (node == model::nowhere || !is_wanted || snapshot.eligible[pod_class][node] == 0 ||
            built.affinity.is_barred(built.members[m].affinity_class, node))
            continue;
        kept.room.take(node, pod_class);
        if (!is_not_overcommitted(snapshot, node, pod_class)) {
            kept.room.undo();
            continue;
        }
        keep_seat(kept, built, m, node);
    }
    kept.returned_to_previous_node = kept.plan.seats.size() > before;
    return kept.returned_to_previous_node;
}

KeptSeats keep_valid_seats(const GangState& gang, const model::Gang& built, model::Snapshot& snapshot, Seats which,
                           const std::function<bool(const base::Text& uid, const std::string& node)>& is_refused) {
    KeptSeats kept{{}, {}, {}, {}, false, TakenRoom(snapshot)};
    if (gang.roster.seats().empty() && gang.hold().placeholders.empty())
        return kept;
    auto rows = rows_of(built);
    std::deque<std::string> names;
    if (!gang.hold().placeholders.empty())
        add_placeholders(built, names, rows);
    const auto anchors = anchors_of(built);
    const auto leaves = leaves_of(built);
    using Binding = SeatState::Binding;
    const auto keep = [&](const base::Text& uid, const std::string& name, Binding binding) {
        const bool is_at_barrier = binding == Binding::arrived;
        const auto row = rows.find(uid);
        const auto node = snapshot.node(name);
        const bool is_member = row != rows.end();
        if (is_member && built.members[row->second].state == model::Member::State::bound)
            return;
        if (is_member && !node && is_under_way(binding))
            return;  // The binding's outcome decides.
        if (!is_member || !node) {
            kept.unsound.push_back(uid);
            return;
        }
        if (which == Seats::at_barrier && !is_at_barrier)
            return;
        const auto pod_class = built.members[row->second].pod_class;
        const bool is_excused = snapshot.eligible[pod_class][*node] == 0 && is_at_barrier && is_refused(uid, name);
        kept.room.take(*node, pod_class);
        const bool is_barred = built.affinity.is_barred(built.members[row->second].affinity_class, *node) ||
                               breaks_level(snapshot, built, anchors, leaves[row->second], *node);
        if (is_barred || (snapshot.eligible[pod_class][*node] == 0 && !is_excused) ||
            !is_not_overcommitted(snapshot, *node, pod_class)) {
            kept.room.undo();
            kept.unsound.push_back(uid);
            return;
        }
        if (is_excused)
            kept.excused.emplace_back(pod_class, *node);
        keep_seat(kept, built, row->second, *node);
    };
    for (const auto& [uid, seat] : gang.roster.seats())
        keep(uid, seat.node, seat.binding);
    for (const auto& [name, seat] : gang.hold().placeholders)
        keep(name, seat.node, Binding::idle);
    return kept;
}

std::vector<solver::Violation> found_by_referee(model::Snapshot& snapshot, const model::Gang& gang,
                                                const solver::Plan& plan, const Excused& excused) {
    for (const auto& [pod_class, node] : excused)
        snapshot.eligible[pod_class][node] = 1;
    auto faults = solver::violations(snapshot, gang, plan);
    for (const auto& [pod_class, node] : excused)
        snapshot.eligible[pod_class][node] = 0;
    return faults;
}

}  // namespace echelon::engine

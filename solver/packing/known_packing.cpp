#include "solver/packing/known_packing.hpp"

#include <algorithm>
#include <limits>

namespace echelon::solver {

using model::NodeId;

std::int64_t KnownPacking::slots(std::uint32_t member_class, NodeId node) {
    const model::PodClassId pod_class = demand_.classes[member_class];
    const MemberConflicts& conflicts = demand_.conflicts;
    work_ += 16 + snapshot_.resources.size() + 16 * conflicts.topology_keys().size();
    if (snapshot_.eligible[pod_class][node] == 0) {
        return 0;
    }
    const auto used = used_.find(node);
    std::int64_t slots = std::numeric_limits<std::int32_t>::max();
    for (std::size_t r = 0; r < snapshot_.resources.size() && slots > 0; ++r) {
        if (const std::int64_t need = snapshot_.need[pod_class][r]; need > 0) {
            const std::int64_t room = room_[r][node] - (used == used_.end() ? 0 : used->second[r]);
            slots = room < need ? 0 : std::min(slots, room / need);
        }
    }
    if (slots > 0 && conflicts.touch(member_class)) {
        slots = placed_.has_conflict_at(member_class, node) ? 0 : std::min(slots, conflicts.limit(member_class, node));
    }
    return slots;
}

void KnownPacking::take(std::uint32_t member_class, NodeId node, std::int64_t count) {
    std::vector<std::int64_t>& used = used_[node];
    used.resize(snapshot_.resources.size(), 0);
    for (std::size_t r = 0; r < used.size(); ++r) {
        used[r] += count * std::max<std::int64_t>(0, snapshot_.need[demand_.classes[member_class]][r]);
    }
    if (demand_.conflicts.touch(member_class)) {
        placed_.add(member_class, node, count);
    }
    pods_ += count;
    work_ += 16 + used.size() + 2 * demand_.conflicts.conflicts_of(member_class).size();
}

bool KnownPacking::add(ScopeId scope, std::span<const std::int64_t> pods, std::vector<PodsOnNode>& nodes) {
    if (demand_.inside.exist()) {  // NUMA zones and devices are counted by `Packing` alone.
        return false;
    }
    const std::size_t before = nodes.size();
    work_ += pods.size();
    for (std::uint32_t member_class = 0; member_class < pods.size(); ++member_class) {
        if (pods[member_class] > 0 && !add_class(scope, member_class, pods[member_class], nodes)) {
            remove(std::span(nodes).subspan(before));
            nodes.resize(before);
            return false;
        }
    }
    return true;
}

// Goes on where the last pod of the class went: the nodes before that have rarely room.
bool KnownPacking::add_class(ScopeId scope, std::uint32_t member_class, std::int64_t count,
                             std::vector<PodsOnNode>& nodes) {
    const std::vector<NodeId>& order = snapshot_.trees[scopes_.tree_of(scope)].order;
    const auto [first, last] = scopes_.range_of(scope);
    std::uint32_t& position = last_.try_emplace({member_class, scope}, first).first->second;
    for (std::uint32_t tried = first; tried < last && count > 0; ++tried) {
        const NodeId node = order[position];
        if (scopes_[scope].places.size() < 2 || scopes_.holds(scope, node)) {
            if (const std::int64_t here = std::min(count, slots(member_class, node)); here > 0) {
                take(member_class, node, here);
                nodes.push_back({.member_class = member_class, .node = node, .count = here});
                count -= here;
            }
        }
        if (count > 0) {
            position = position + 1 == last ? first : position + 1;
        }
    }
    return count == 0;
}

bool KnownPacking::put_back(std::span<const PodsOnNode> nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (slots(nodes[i].member_class, nodes[i].node) < nodes[i].count) {
            remove(nodes.first(i));
            return false;
        }
        take(nodes[i].member_class, nodes[i].node, nodes[i].count);
    }
    return true;
}

void KnownPacking::remove(std::span<const PodsOnNode> nodes) {
    for (const PodsOnNode& pods : nodes) {
        take(pods.member_class, pods.node, -pods.count);
    }
    if (pods_ == 0) {
        last_.clear();
    }
}

}  // namespace echelon::solver

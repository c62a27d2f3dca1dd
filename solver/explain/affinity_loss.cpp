#include "solver/explain/affinity_loss.hpp"

#include <algorithm>
#include <set>

namespace echelon::solver {
namespace {

using model::NodeId;

// [index of a value] 1: a pod there satisfies the attraction.
std::vector<std::uint8_t> values_with_friend(const model::Gang& gang, const model::Attraction& attraction) {
    const std::vector<std::uint32_t>& value_of = gang.affinity.topology_keys[attraction.topology_key].of;
    std::vector<std::uint8_t> has_friend = attraction.met;
    for (const model::Member& member : gang.members) {
        if (member.state == model::Member::State::bound && member.node != model::nowhere &&
            value_of[member.node] != model::nowhere &&
            std::ranges::binary_search(attraction.friends, member.affinity_class)) {
            has_friend[value_of[member.node]] = 1;
        }
    }
    return has_friend;
}

void close_outside(const model::Gang& gang, const model::Attraction& attraction, std::vector<std::uint8_t>& closed) {
    const std::vector<std::uint32_t>& value_of = gang.affinity.topology_keys[attraction.topology_key].of;
    const std::vector<std::uint8_t> has_friend = values_with_friend(gang, attraction);
    const bool has_any = std::ranges::any_of(has_friend, [](std::uint8_t is_in) { return is_in != 0; });
    const bool may_begin = !has_any && !attraction.friends.empty();
    for (NodeId node = 0; node < closed.size(); ++node) {
        const std::uint32_t value = value_of[node];
        const bool is_open = value != model::nowhere && (may_begin || has_friend[value] != 0);
        closed[node] |= is_open ? std::uint8_t{0} : std::uint8_t{1};
    }
}

// Closes the nodes outside the domains that co-located gangs are in (X5).
void close_outside(const model::Snapshot& snapshot, const model::CoLocation& co_location,
                   std::vector<std::uint8_t>& closed) {
    for (const model::LevelRef level : co_location.required) {
        const std::vector<std::uint32_t>& domain_of = snapshot.trees[level.tree].domain_of[level.depth];
        std::set<std::uint32_t> inhabited;
        for (const NodeId node : co_location.seated) {
            inhabited.insert(domain_of[node]);
        }
        for (NodeId node = 0; node < closed.size() && !inhabited.empty(); ++node) {
            const bool is_open = domain_of[node] != model::nowhere && inhabited.contains(domain_of[node]);
            closed[node] |= is_open ? std::uint8_t{0} : std::uint8_t{1};
        }
    }
}

}  // namespace

void AffinityLoss::add_node(std::int64_t slots, std::int64_t limit, bool must_be_elsewhere) {
    by_amounts += slots;
    lost += std::max<std::int64_t>(0, slots - limit);
    is_scarce = is_scarce || slots < limit;
    open += limit > 0 ? 1 : 0;
    elsewhere += limit == 0 && must_be_elsewhere ? 1 : 0;
    apart += (limit == 0 && !must_be_elsewhere) || (limit > 0 && slots > limit) ? 1 : 0;
}

std::string AffinityLoss::words(bool is_domain) const {
    if (!takes_slots()) {
        return {};
    }
    if (elsewhere > apart) {
        return "kept near other pods";
    }
    return open == 0 && is_domain ? "kept out: other pods have the domain to themselves" : kept_apart;
}

std::vector<std::uint8_t> kept_elsewhere(const model::Snapshot& snapshot, const model::Gang& gang,
                                         std::uint32_t affinity_class) {
    std::vector<std::uint8_t> closed(snapshot.node_count(), 0);
    for (const model::Attraction& attraction : gang.affinity.together) {
        if (attraction.affinity_class == affinity_class) {
            close_outside(gang, attraction, closed);
        }
    }
    close_outside(snapshot, gang.co_location, closed);
    return closed;
}

}  // namespace echelon::solver

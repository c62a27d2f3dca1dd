#include "solver/packing/capacity_bounds.hpp"

#include "solver/packing/slots.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>

namespace echelon::solver {
namespace {

// More pods than any gang has, and small enough that sums don't overflow.
constexpr std::int64_t many = most_slots;

// With more classes than this there are no bounds for pieces, whose number grows with the square.
constexpr std::size_t most_classes_by_resource = 8;

// False if sums over pods or nodes could overflow: such a resource gets no bound.
bool is_summable(const std::vector<std::int64_t>& weights, const Demand& demand,
                 const std::vector<std::int64_t>& room) {
    constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max() / 4;
    if (std::ranges::max(weights) > limit / static_cast<std::int64_t>(demand.class_of.size() + 1)) {
        return false;
    }
    // An upper bound of the sum is enough.
    const std::int64_t largest = room.empty() ? 0 : std::ranges::max(room);
    return largest <= limit / static_cast<std::int64_t>(room.size() + 1);
}

// [class] Equal for classes that may use the same nodes.
std::vector<std::uint32_t> eligibility_classes(const model::Snapshot& snapshot,
                                               const std::vector<model::PodClassId>& classes) {
    std::vector<std::uint32_t> same_nodes;
    for (std::uint32_t member_class = 0; member_class < classes.size(); ++member_class) {
        std::uint32_t same = 0;
        while (same < member_class && snapshot.eligible[classes[same]] != snapshot.eligible[classes[member_class]])
            ++same;
        same_nodes.push_back(same < member_class ? same_nodes[same] : member_class);
    }
    return same_nodes;
}

// Floor of the quotient. Requires: `room` >= 0, `piece` > 0.
std::int64_t quotient(std::int64_t room, std::int64_t piece, double per_piece) {
    if (room < piece) {
        return 0;
    }
    auto pieces = static_cast<std::int64_t>(static_cast<double>(room) * per_piece);  // Off by one at most, if small.
    if (pieces > std::int64_t{1} << 50U || room > std::int64_t{1} << 52U) {
        return room / piece;
    }
    pieces -= pieces * piece > room ? 1 : 0;
    return pieces + ((pieces + 1) * piece <= room ? 1 : 0);
}

}  // namespace

CapacityBounds::CapacityBounds(const model::Snapshot& snapshot, const Room& room, const Demand& demand,
                               const Scopes& scopes)
    : snapshot_(snapshot),
      room_(room),
      scopes_(scopes),
      conflicts_(demand.conflicts),
      inside_(demand.inside),
      weights_(demand.classes.size()),
      used_(scopes.used_levels().size()) {
    add_slots(demand);
    if (demand.classes.size() > 1) {
        add_exclusive(demand);
        add_resources(demand);
    }
    sums_.assign(count(), std::vector<std::vector<std::int64_t>>(snapshot.trees.size()));
    used_everywhere_.assign(count(), 0);
}

void CapacityBounds::add_bound(std::span<const std::int64_t> weights, Source source) {
    for (std::size_t member_class = 0; member_class < weights.size(); ++member_class) {
        weights_[member_class].push_back(weights[member_class]);
    }
    sources_.push_back(std::move(source));
    capacities_.emplace_back();
}

const std::vector<std::int64_t>& CapacityBounds::capacities(std::size_t bound) {
    std::vector<std::int64_t>& capacities = capacities_[bound];
    if (!capacities.empty()) {
        return capacities;
    }
    const Source& source = sources_[bound];
    if (source.kind == Source::Kind::slots) {
        const std::uint32_t member_class = source.classes.front();
        capacities = slots_per_node(snapshot_, room_, source.pod_class);
        for (model::NodeId node = 0; node < capacities.size() && conflicts_.touch(member_class); ++node) {
            capacities[node] = std::min(capacities[node], conflicts_.limit(member_class, node));
        }
        for (model::NodeId node = 0; node < capacities.size() && inside_.exist(); ++node) {
            capacities[node] = std::min(capacities[node], inside_.limit(member_class, node));
        }
        work_ += inside_.take_work();
        return capacities;
    }
    if (source.kind == Source::Kind::exclusive) {
        capacities.assign(snapshot_.node_count(), 0);
        for (const std::uint32_t member_class : source.classes) {
            std::ranges::transform(capacities, this->capacities(slots_bound(member_class)), capacities.begin(),
                                   std::ranges::max);
        }
        return capacities;
    }
    const bool in_pieces = source.kind == Source::Kind::pieces;
    const std::uint8_t* eligible = in_pieces ? snapshot_.eligible[source.pod_class].data() : eligible_.data();
    const std::int64_t* room = room_[source.resource].data();
    const std::int64_t piece = in_pieces ? snapshot_.need[source.pod_class][source.resource] : 1;
    const double per_piece = 1 / static_cast<double>(piece);
    capacities.resize(snapshot_.node_count());
    for (std::size_t n = 0; n < capacities.size(); ++n) {
        const std::int64_t here = eligible[n] != 0 ? std::max<std::int64_t>(room[n], 0) : 0;
        capacities[n] = piece == 1 ? here : quotient(here, piece, per_piece);
    }
    return capacities;
}

void CapacityBounds::add_slots(const Demand& demand) {
    const std::vector<std::uint32_t> same_nodes = eligibility_classes(snapshot_, demand.classes);
    for (std::uint32_t member_class = 0; member_class < demand.classes.size(); ++member_class) {
        const model::PodClassId small = demand.classes[member_class];
        std::vector<std::int64_t> weights;
        for (std::uint32_t other = 0; other < demand.classes.size(); ++other) {
            const model::PodClassId large = demand.classes[other];
            // Affinity may close a node to the small pod and not to the large one.
            const bool is_comparable = (!demand.conflicts.touch(member_class) ||
                                        demand.conflicts.are_of_one_affinity_class(member_class, other)) &&
                                       demand.inside.covers(other, member_class);
            bool covers = member_class == other;
            if (!covers && is_comparable) {
                covers =
                    std::ranges::equal(snapshot_.need[large], snapshot_.need[small], std::ranges::greater_equal{}) &&
                    (same_nodes[other] == same_nodes[member_class] ||
                     std::ranges::equal(snapshot_.eligible[large], snapshot_.eligible[small],
                                        std::ranges::less_equal{}));
            }
            weights.push_back(covers ? 1 : 0);
        }
        add_bound(weights, {.kind = Source::Kind::slots, .pod_class = small, .resource = 0, .classes = {member_class}});
    }
}

// Classes of which a node holds at most one pod in all.
void CapacityBounds::add_exclusive(const Demand& demand) {
    for (std::vector<std::uint32_t>& exclusive : demand.conflicts.exclusive_sets(work_)) {
        if (exclusive.size() < 2) {
            continue;
        }
        std::vector<std::int64_t> weights(demand.classes.size(), 0);
        for (const std::uint32_t exclusive_class : exclusive) {
            weights[exclusive_class] = 1;
        }
        add_bound(weights,
                  {.kind = Source::Kind::exclusive, .pod_class = 0, .resource = 0, .classes = std::move(exclusive)});
    }
}

void CapacityBounds::add_resources(const Demand& demand) {
    eligible_.assign(snapshot_.node_count(), 0);
    for (const model::PodClassId pod_class : demand.classes) {
        std::ranges::transform(eligible_, snapshot_.eligible[pod_class], eligible_.begin(), std::bit_or{});
    }
    for (std::size_t r = 0; r < snapshot_.resources.size(); ++r) {
        std::vector<std::int64_t> weights;
        for (const model::PodClassId pod_class : demand.classes) {
            weights.push_back(std::max<std::int64_t>(0, snapshot_.need[pod_class][r]));
        }
        if (std::ranges::max(weights) == 0 || !is_summable(weights, demand, room_[r])) {
            continue;
        }
        add_bound(weights, {.kind = Source::Kind::resource, .pod_class = 0, .resource = r, .classes = {}});
        if (demand.classes.size() <= most_classes_by_resource) {
            add_pieces(demand, r);
        }
    }
}

// A pod that needs k times as much of a resource as a small one takes k pieces of that size.
void CapacityBounds::add_pieces(const Demand& demand, std::size_t resource) {
    for (const model::PodClassId small : demand.classes) {
        const std::int64_t piece = snapshot_.need[small][resource];
        if (piece <= 0) {
            continue;
        }
        std::vector<std::int64_t> weights(demand.classes.size(), 0);
        for (std::size_t large = 0; large < weights.size(); ++large) {
            const model::PodClassId pod_class = demand.classes[large];
            if (snapshot_.need[pod_class][resource] / piece > 0 &&
                std::ranges::equal(snapshot_.eligible[pod_class], snapshot_.eligible[small],
                                   std::ranges::less_equal{})) {
                weights[large] = std::min(snapshot_.need[pod_class][resource] / piece, many);
            }
        }
        if (std::ranges::max(weights) >= 2) {  // Else it equals the bound by slots.
            add_bound(weights, {.kind = Source::Kind::pieces, .pod_class = small, .resource = resource, .classes = {}});
        }
    }
}

std::vector<std::int64_t> CapacityBounds::amounts(std::span<const std::int64_t> pods) const {
    std::vector<std::int64_t> amounts(count(), 0);
    work_ += pods.size() / 2 + count() / 4;
    for (std::size_t member_class = 0; member_class < pods.size(); ++member_class) {
        if (pods[member_class] != 0) {
            work_ += count();
            for (std::size_t bound = 0; bound < amounts.size(); ++bound) {
                amounts[bound] += pods[member_class] * weights_[member_class][bound];
            }
        }
    }
    return amounts;
}

const std::vector<std::int64_t>& CapacityBounds::sums(std::size_t bound, std::uint32_t tree) {
    std::vector<std::int64_t>& sums = sums_[bound][tree];
    if (sums.empty()) {
        const std::vector<model::NodeId>& order = snapshot_.trees[tree].order;
        sums.resize(order.size() + 1);
        const std::vector<std::int64_t>& capacities = this->capacities(bound);
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            sum += capacities[order[i]];
            sums[i + 1] = sum;
        }
    }
    return sums;
}

std::int64_t CapacityBounds::capacity(std::size_t bound, const Place& place) {
    const model::Domain& domain = snapshot_.trees[place.level.tree].domains[place.level.depth][place.domain];
    const std::vector<std::int64_t>& running = sums(bound, place.level.tree);
    return running[domain.last] - running[domain.first];
}

std::int64_t CapacityBounds::capacity(std::size_t bound, ScopeId scope) {
    const std::vector<Place>& places = scopes_[scope].places;
    if (places.empty()) {
        return sums(bound, 0).back();
    }
    if (places.size() == 1) {
        return capacity(bound, places.front());
    }
    if (crossed_capacities_.size() <= scope) {
        crossed_capacities_.resize(scope + 1);
    }
    std::vector<std::int64_t>& capacities = crossed_capacities_[scope];
    if (capacities.empty()) {
        capacities.assign(count(), 0);
        const std::vector<model::NodeId> nodes = scopes_.nodes_of(scope);
        work_ += nodes.size() * count() * 2;
        for (const model::NodeId node : nodes) {
            for (std::size_t g = 0; g < capacities.size(); ++g) {
                capacities[g] += this->capacities(g)[node];
            }
        }
    }
    return capacities[bound];
}

std::vector<std::int64_t>& CapacityBounds::used_in(model::LevelRef level) {
    const auto& levels = scopes_.used_levels();
    const auto index = static_cast<std::size_t>(std::ranges::lower_bound(levels, level) - levels.begin());
    std::vector<std::int64_t>& used = used_[index];
    if (used.empty()) {
        used.assign(snapshot_.trees[level.tree].domains[level.depth].size() * count(), 0);
    }
    return used;
}

std::int64_t CapacityBounds::remaining(std::size_t bound, ScopeId scope) {
    std::int64_t remaining = sums(bound, 0).back() - used_everywhere_[bound];
    work_ += 4 + 8 * scopes_[scope].within.size();
    if (scopes_[scope].places.size() > 1) {
        remaining = std::min(remaining, capacity(bound, scope));
    }
    for (const Place& place : scopes_[scope].within) {
        remaining = std::min(remaining, this->remaining(bound, place));
    }
    return remaining;
}

std::int64_t CapacityBounds::remaining(std::size_t bound, const Place& place) {
    return capacity(bound, place) - used_in(place.level)[place.domain * count() + bound];
}

bool CapacityBounds::is_unused(ScopeId scope) const {
    const std::vector<Place>& within = scopes_[scope].within;
    if (within.empty() || scopes_[scope].places.size() != 1 || within.back() != scopes_[scope].places.front()) {
        return false;
    }
    const auto& levels = scopes_.used_levels();
    const auto index = static_cast<std::size_t>(std::ranges::lower_bound(levels, within.back().level) - levels.begin());
    if (used_[index].empty()) {
        return true;
    }
    const auto first = used_[index].begin() + static_cast<std::ptrdiff_t>(within.back().domain * count());
    return std::all_of(first, first + static_cast<std::ptrdiff_t>(count()),
                       [](std::int64_t used) { return used == 0; });
}

Operations CapacityBounds::setup_work() const {
    const Operations nodes = snapshot_.node_count();
    return count() * nodes * 2 + snapshot_.resources.size() * nodes;
}

bool CapacityBounds::admits(ScopeId scope, std::span<const std::int64_t> amounts) {
    for (std::size_t bound = 0; bound < amounts.size(); ++bound) {
        if (amounts[bound] > 0 && amounts[bound] > remaining(bound, scope)) {
            return false;
        }
    }
    return true;
}

void CapacityBounds::add_used(ScopeId scope, std::span<const std::int64_t> amounts, std::int64_t sign) {
    work_ += amounts.size();
    for (std::size_t bound = 0; bound < amounts.size(); ++bound) {
        const std::int64_t amount = sign * amounts[bound];
        if (amount == 0) {
            continue;
        }
        used_everywhere_[bound] += amount;
        work_ += 4 * scopes_[scope].within.size();
        for (const Place& place : scopes_[scope].within) {
            used_in(place.level)[place.domain * count() + bound] += amount;
        }
    }
}

}  // namespace echelon::solver

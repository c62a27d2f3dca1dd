#include "solver/packing/capacity_bounds.hpp"

#include "solver/packing/slots.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <set>

namespace echelon::solver {
namespace {

// More pods than any gang has; keeps sums far from overflow.
constexpr std::int64_t many = most_slots;

// How many sizes may have gauges by resource, whose number grows with its square.
constexpr std::size_t most_sizes_by_resource = 8;

// Sums of what may be added stay far from overflow; a resource for which they might not has no gauges.
bool is_summable(const std::vector<std::int64_t>& weights, const Demand& needs, const std::vector<std::int64_t>& room) {
    constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max() / 4;
    if (std::ranges::max(weights) > limit / static_cast<std::int64_t>(needs.size_of.size() + 1)) {
        return false;
    }
    // The largest room times the number of nodes is mostly far below the limit: then no sum is needed.
    const std::int64_t largest = room.empty() ? 0 : std::ranges::max(room);
    return largest <= limit / static_cast<std::int64_t>(room.size() + 1);
}

// [size] Equal for sizes that may use the same nodes: mostly all of a gang.
std::vector<std::uint32_t> eligibility_classes(const model::Snapshot& snapshot,
                                               const std::vector<model::PodClassId>& sizes) {
    std::vector<std::uint32_t> classes;
    for (std::uint32_t size = 0; size < sizes.size(); ++size) {
        std::uint32_t same = 0;
        while (same < size && snapshot.eligible[sizes[same]] != snapshot.eligible[sizes[size]])
            ++same;
        classes.push_back(same < size ? classes[same] : size);
    }
    return classes;
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

CapacityBounds::CapacityBounds(const model::Snapshot& snapshot, const Room& room, const Demand& needs,
                               const Scopes& scopes)
    : snapshot_(snapshot),
      room_(room),
      scopes_(scopes),
      relations_(needs.relations),
      loads_(scopes.used_levels().size()) {
    add_slots(needs);
    if (needs.sizes.size() > 1) {
        add_loners(needs);
        add_resources(needs);
    }
    sums_.assign(count(), std::vector<std::vector<std::int64_t>>(snapshot.trees.size()));
    loads_everywhere_.assign(count(), 0);
}

void CapacityBounds::add_gauge(std::vector<std::int64_t> weights, Source source) {
    weights_.push_back(std::move(weights));
    sources_.push_back(std::move(source));
    caps_.emplace_back();
}

const std::vector<std::int64_t>& CapacityBounds::caps(std::size_t gauge) {
    std::vector<std::int64_t>& caps = caps_[gauge];
    if (!caps.empty()) {
        return caps;
    }
    const Source& source = sources_[gauge];
    if (source.kind == Source::Kind::slots) {
        const std::uint32_t size = source.sizes.front();
        caps = slots_per_node(snapshot_, room_, source.shape);
        for (model::NodeId node = 0; node < caps.size() && relations_.touch(size); ++node) {
            caps[node] = std::min(caps[node], relations_.limit(size, node));
        }
        return caps;
    }
    if (source.kind == Source::Kind::loners) {
        caps.assign(snapshot_.node_count(), 0);
        for (const std::uint32_t size : source.sizes) {
            std::ranges::transform(caps, this->caps(slots_bound(size)), caps.begin(), std::ranges::max);
        }
        return caps;
    }
    const bool in_pieces = source.kind == Source::Kind::pieces;
    const std::uint8_t* eligible = in_pieces ? snapshot_.eligible[source.shape].data() : eligible_.data();
    const std::int64_t* room = room_[source.resource].data();
    const std::int64_t piece = in_pieces ? snapshot_.need[source.shape][source.resource] : 1;
    const double per_piece = 1 / static_cast<double>(piece);
    caps.resize(snapshot_.node_count());
    for (std::size_t n = 0; n < caps.size(); ++n) {
        const std::int64_t here = eligible[n] != 0 ? std::max<std::int64_t>(room[n], 0) : 0;
        caps[n] = piece == 1 ? here : quotient(here, piece, per_piece);
    }
    return caps;
}

void CapacityBounds::add_slots(const Demand& needs) {
    const std::vector<std::uint32_t> classes = eligibility_classes(snapshot_, needs.sizes);
    for (std::uint32_t size = 0; size < needs.sizes.size(); ++size) {
        const model::PodClassId small = needs.sizes[size];
        std::vector<std::int64_t> weights;
        for (std::uint32_t other = 0; other < needs.sizes.size(); ++other) {
            const model::PodClassId large = needs.sizes[other];
            // What keeps a small pod away leaves a large one of another kin in peace.
            const bool is_comparable = !needs.relations.touch(size) || needs.relations.are_kin(size, other);
            bool covers = size == other;
            if (!covers && is_comparable) {
                covers =
                    std::ranges::equal(snapshot_.need[large], snapshot_.need[small], std::ranges::greater_equal{}) &&
                    (classes[other] == classes[size] ||
                     std::ranges::equal(snapshot_.eligible[large], snapshot_.eligible[small],
                                        std::ranges::less_equal{}));
            }
            weights.push_back(covers ? 1 : 0);
        }
        add_gauge(std::move(weights), {.kind = Source::Kind::slots, .shape = small, .resource = 0, .sizes = {size}});
    }
}

// Pods of unlike sizes of which a node holds only one.
void CapacityBounds::add_loners(const Demand& needs) {
    std::set<std::vector<std::uint32_t>> seen;
    for (std::uint32_t size = 0; size < needs.sizes.size() && needs.relations.exist(); ++size) {
        std::vector<std::uint32_t> loners = needs.relations.loners(size);
        std::ranges::sort(loners);
        if (loners.size() < 2 || !seen.insert(loners).second) {
            continue;
        }
        std::vector<std::int64_t> weights(needs.sizes.size(), 0);
        for (const std::uint32_t loner : loners) {
            weights[loner] = 1;
        }
        add_gauge(std::move(weights),
                  {.kind = Source::Kind::loners, .shape = 0, .resource = 0, .sizes = std::move(loners)});
    }
}

void CapacityBounds::add_resources(const Demand& needs) {
    eligible_.assign(snapshot_.node_count(), 0);
    for (const model::PodClassId shape : needs.sizes) {
        std::ranges::transform(eligible_, snapshot_.eligible[shape], eligible_.begin(), std::bit_or{});
    }
    for (std::size_t r = 0; r < snapshot_.resources.size(); ++r) {
        std::vector<std::int64_t> weights;
        for (const model::PodClassId shape : needs.sizes) {
            weights.push_back(std::max<std::int64_t>(0, snapshot_.need[shape][r]));
        }
        if (std::ranges::max(weights) == 0 || !is_summable(weights, needs, room_[r])) {
            continue;
        }
        add_gauge(std::move(weights), {.kind = Source::Kind::resource, .shape = 0, .resource = r, .sizes = {}});
        if (needs.sizes.size() <= most_sizes_by_resource) {
            add_pieces(needs, r);
        }
    }
}

// A pod that needs k times as much of a resource as a small one takes k pieces of that size.
void CapacityBounds::add_pieces(const Demand& needs, std::size_t resource) {
    for (const model::PodClassId small : needs.sizes) {
        const std::int64_t piece = snapshot_.need[small][resource];
        if (piece <= 0) {
            continue;
        }
        std::vector<std::int64_t> weights(needs.sizes.size(), 0);
        for (std::size_t large = 0; large < weights.size(); ++large) {
            const model::PodClassId shape = needs.sizes[large];
            if (snapshot_.need[shape][resource] / piece > 0 &&
                std::ranges::equal(snapshot_.eligible[shape], snapshot_.eligible[small], std::ranges::less_equal{})) {
                weights[large] = std::min(snapshot_.need[shape][resource] / piece, many);
            }
        }
        if (std::ranges::max(weights) >= 2) {  // Else it says no more than the slots do.
            add_gauge(std::move(weights),
                      {.kind = Source::Kind::pieces, .shape = small, .resource = resource, .sizes = {}});
        }
    }
}

std::int64_t CapacityBounds::weight(std::size_t gauge, std::span<const std::int64_t> sizes) const {
    std::int64_t sum = 0;
    work_ += sizes.size() / 2;
    for (std::size_t s = 0; s < sizes.size(); ++s) {
        sum += sizes[s] * weights_[gauge][s];
    }
    return sum;
}

const std::vector<std::int64_t>& CapacityBounds::sums(std::size_t gauge, std::uint32_t tree) {
    std::vector<std::int64_t>& sums = sums_[gauge][tree];
    if (sums.empty()) {
        const std::vector<model::NodeId>& order = snapshot_.trees[tree].order;
        sums.resize(order.size() + 1);
        const std::vector<std::int64_t>& caps = this->caps(gauge);
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            sum += caps[order[i]];
            sums[i + 1] = sum;
        }
    }
    return sums;
}

std::int64_t CapacityBounds::cap(std::size_t gauge, const Place& place) {
    const model::Domain& domain = snapshot_.trees[place.level.tree].domains[place.level.depth][place.domain];
    const std::vector<std::int64_t>& running = sums(gauge, place.level.tree);
    return running[domain.last] - running[domain.first];
}

std::int64_t CapacityBounds::cap(std::size_t gauge, ScopeId scope) {
    const std::vector<Place>& places = scopes_[scope].places;
    if (places.empty()) {
        return sums(gauge, 0).back();
    }
    if (places.size() == 1) {
        return cap(gauge, places.front());
    }
    if (crossed_caps_.size() <= scope) {
        crossed_caps_.resize(scope + 1);
    }
    std::vector<std::int64_t>& caps = crossed_caps_[scope];
    if (caps.empty()) {
        caps.assign(count(), 0);
        const std::vector<model::NodeId> nodes = scopes_.nodes_of(scope);
        work_ += nodes.size() * count() * 2;
        for (const model::NodeId node : nodes) {
            for (std::size_t g = 0; g < caps.size(); ++g) {
                caps[g] += this->caps(g)[node];
            }
        }
    }
    return caps[gauge];
}

std::vector<std::int64_t>& CapacityBounds::used_in(model::LevelRef level) {
    const auto& used = scopes_.used_levels();
    const auto index = static_cast<std::size_t>(std::ranges::lower_bound(used, level) - used.begin());
    std::vector<std::int64_t>& loads = loads_[index];
    if (loads.empty()) {
        loads.assign(snapshot_.trees[level.tree].domains[level.depth].size() * count(), 0);
    }
    return loads;
}

std::int64_t CapacityBounds::rest(std::size_t gauge, ScopeId scope) {
    std::int64_t rest = sums(gauge, 0).back() - loads_everywhere_[gauge];
    work_ += 4 + 8 * scopes_[scope].within.size();
    if (scopes_[scope].places.size() > 1) {
        rest = std::min(rest, cap(gauge, scope));
    }
    for (const Place& place : scopes_[scope].within) {
        rest = std::min(rest, this->rest(gauge, place));
    }
    return rest;
}

std::int64_t CapacityBounds::rest(std::size_t gauge, const Place& place) {
    return cap(gauge, place) - used_in(place.level)[place.domain * count() + gauge];
}

bool CapacityBounds::is_untouched(ScopeId scope) const {
    const std::vector<Place>& within = scopes_[scope].within;
    if (within.empty() || scopes_[scope].places.size() != 1 || within.back() != scopes_[scope].places.front()) {
        return false;
    }
    const auto& used = scopes_.used_levels();
    const auto index = static_cast<std::size_t>(std::ranges::lower_bound(used, within.back().level) - used.begin());
    if (loads_[index].empty()) {
        return true;
    }
    const auto first = loads_[index].begin() + static_cast<std::ptrdiff_t>(within.back().domain * count());
    return std::all_of(first, first + static_cast<std::ptrdiff_t>(count()),
                       [](std::int64_t load) { return load == 0; });
}

Operations CapacityBounds::setup_work() const {
    const Operations nodes = snapshot_.node_count();
    return count() * nodes * 2 + snapshot_.resources.size() * nodes;
}

bool CapacityBounds::admits(ScopeId scope, std::span<const std::int64_t> demand) {
    for (std::size_t gauge = 0; gauge < demand.size(); ++gauge) {
        if (demand[gauge] > 0 && demand[gauge] > rest(gauge, scope)) {
            return false;
        }
    }
    return true;
}

void CapacityBounds::load(ScopeId scope, std::span<const std::int64_t> sizes, std::int64_t sign) {
    for (std::size_t gauge = 0; gauge < count(); ++gauge) {
        const std::int64_t amount = sign * weight(gauge, sizes);
        if (amount == 0) {
            continue;
        }
        loads_everywhere_[gauge] += amount;
        work_ += 4 * scopes_[scope].within.size();
        for (const Place& place : scopes_[scope].within) {
            used_in(place.level)[place.domain * count() + gauge] += amount;
        }
    }
}

}  // namespace echelon::solver

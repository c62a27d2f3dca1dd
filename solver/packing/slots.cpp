#include "solver/packing/slots.hpp"

#include <algorithm>
#include <limits>

namespace echelon::solver {
namespace {

using Limit = SlotRule::Limit;

// Divides only if this resource limits the slots further, and to more than one. Requires: `slots` * need doesn't
// overflow.
std::int64_t limited(std::int64_t slots, const Limit& limit, std::size_t node) {
    const std::int64_t room = limit.room[node];
    if (room >= slots * limit.need) {
        return slots;
    }
    if (room < 2 * limit.need) {
        return room < limit.need ? 0 : 1;
    }
    return room / limit.need;
}

// Up to this many nodes, all are summed for the scarcest resource.
constexpr std::size_t most_asked = 512;

// What is free of one resource on usable nodes, or on a sample. Wraps on overflow: the sum only compares resources.
double free_in_all(const model::Snapshot& snapshot, const std::vector<std::int64_t>& room) {
    const std::size_t stride = 1 + (room.size() - 1) / most_asked;
    std::uint64_t sum = 0;
    for (std::size_t n = 0; n < room.size(); n += stride) {
        sum += room[n] > 0 && snapshot.usable[n] != 0 ? static_cast<std::uint64_t>(room[n]) : 0;
    }
    return static_cast<double>(sum);
}

SlotRule rule_for(const model::Snapshot& snapshot, const Room& room, model::PodClassId pod_class) {
    SlotRule rule;
    const auto& need = snapshot.need[pod_class];
    for (std::size_t r = 0; r < need.size(); ++r) {
        if (need[r] == 1) {
            rule.pieces.push_back(room[r].data());
        } else if (need[r] > 1) {
            rule.limits.push_back({.room = room[r].data(), .need = need[r]});
            rule.most = std::min(rule.most, std::numeric_limits<std::int64_t>::max() / need[r]);
        }
    }
    // The scarcest first, so that those behind it rarely divide. One node is asked for all.
    if (const std::size_t middle = snapshot.node_count() / 2; middle > 0) {
        std::ranges::stable_sort(rule.limits, {},
                                 [middle](const Limit& limit) { return limit.room[middle] / limit.need; });
    }
    rule.eligible = snapshot.eligible[pod_class].data();
    return rule;
}

// A range of nodes.
struct Range {
    std::size_t first;
    std::size_t last;
};

// This loop is most of a decision, hence a copy for each usual number of resources; `any`: all other numbers.
constexpr std::size_t any = 99;

template <std::size_t Pieces, std::size_t Limits, typename Sink>
void run(const SlotRule& rule, Range nodes, const Sink& sink) {
    const std::size_t pieces = Pieces == any ? rule.pieces.size() : Pieces;
    const std::size_t limits = Limits == any ? rule.limits.size() : Limits;
    const std::int64_t* const* piece = rule.pieces.data();
    const Limit* limit = rule.limits.data();
    for (std::size_t n = nodes.first; n < nodes.last; ++n) {
        std::int64_t here = rule.eligible[n] != 0 ? rule.most : 0;
        for (std::size_t p = 0; p < pieces; ++p) {
            here = std::min(here, piece[p][n]);
        }
        here = std::max<std::int64_t>(here, 0);
        for (std::size_t l = 0; l < limits; ++l) {
            here = limited(here, limit[l], n);
        }
        sink(n, std::max<std::int64_t>(here, 0));
    }
}

template <typename Sink>
void each_node(const SlotRule& rule, Range nodes, const Sink& sink) {
    if (rule.pieces.size() == 1 && rule.limits.size() == 2) {
        run<1, 2>(rule, nodes, sink);
    } else if (rule.pieces.size() == 2 && rule.limits.size() == 2) {
        run<2, 2>(rule, nodes, sink);
    } else if (rule.pieces.size() == 1 && rule.limits.size() == 3) {
        run<1, 3>(rule, nodes, sink);
    } else {
        run<any, any>(rule, nodes, sink);
    }
}

}  // namespace

std::vector<std::int64_t> slots_per_node(const model::Snapshot& snapshot, const Room& room,
                                         model::PodClassId pod_class) {
    std::vector<std::int64_t> all(snapshot.node_count());
    each_node(rule_for(snapshot, room, pod_class), {.first = 0, .last = all.size()},
              [slots = all.data()](std::size_t n, std::int64_t here) { slots[n] = here; });
    return all;
}

RangeScan::RangeScan(const model::Snapshot& snapshot, const Room& room, model::PodClassId pod_class,
                     std::size_t resource)
    : rule_(rule_for(snapshot, room, pod_class)), free_(room[resource].data()), usable_(snapshot.usable.data()) {}

RangeRoom RangeScan::of(std::size_t first, std::size_t last) const {
    RangeRoom room = free_in(first, last);
    each_node(rule_, {.first = first, .last = last}, [&](std::size_t, std::int64_t here) { room.slots += here; });
    return room;
}

RangeRoom RangeScan::free_in(std::size_t first, std::size_t last) const {
    std::uint64_t free = 0;
    std::int64_t largest = 0;
    for (std::size_t n = first; n < last; ++n) {
        const std::int64_t here = usable_[n] != 0 ? std::max<std::int64_t>(free_[n], 0) : 0;
        free += static_cast<std::uint64_t>(here);
        largest = std::max(largest, here);
    }
    return {.slots = 0, .free = static_cast<std::int64_t>(free), .largest = largest};
}

Running running_room(const model::Snapshot& snapshot, const std::vector<std::int64_t>& room) {
    Running all = std::make_unique_for_overwrite<std::int64_t[]>(room.size() + 1);
    all[0] = 0;
    const std::uint8_t* usable = snapshot.usable.data();
    std::uint64_t sum = 0;
    for (std::size_t n = 0; n < room.size(); ++n) {
        const std::int64_t here = usable[n] != 0 ? room[n] : 0;
        sum += static_cast<std::uint64_t>(std::max<std::int64_t>(here, 0));
        all[n + 1] = static_cast<std::int64_t>(sum);
    }
    return all;
}

std::size_t scarcest(const model::Snapshot& snapshot, const Room& room, std::span<const model::PodClassId> pod_classes,
                     std::span<const std::int64_t> counts) {
    std::size_t scarce = 0;
    double worst = -1;
    for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
        double need = 0;
        for (std::size_t s = 0; s < pod_classes.size(); ++s) {
            need += static_cast<double>(counts[s]) * static_cast<double>(snapshot.need[pod_classes[s]][r]);
        }
        if (need <= 0) {
            continue;
        }
        const bool is_last_resort = snapshot.resources[r] == "pods";
        const double share = is_last_resort ? 0 : need / (1 + free_in_all(snapshot, room[r]));
        if (share > worst) {
            worst = share;
            scarce = r;
        }
    }
    return scarce;
}

}  // namespace echelon::solver

#include "solver/packing/slots.hpp"

#include <algorithm>
#include <limits>

namespace echelon::solver {
namespace {

// A resource of which a pod needs more than one unit.
struct Limit {
    const std::int64_t* room;
    std::int64_t need;
};

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

// What a pod class needs, by how its slots are computed.
struct Scan {
    std::vector<const std::int64_t*> pieces;  // One unit per pod: the free amount is the number of slots.
    std::vector<Limit> limits;
    std::int64_t most = most_slots;
    const std::uint8_t* eligible = nullptr;
};

Scan scan_for(const model::Snapshot& snapshot, const Room& room, model::PodClassId shape) {
    Scan scan;
    const auto& need = snapshot.need[shape];
    for (std::size_t r = 0; r < need.size(); ++r) {
        if (need[r] == 1) {
            scan.pieces.push_back(room[r].data());
        } else if (need[r] > 1) {
            scan.limits.push_back({.room = room[r].data(), .need = need[r]});
            scan.most = std::min(scan.most, std::numeric_limits<std::int64_t>::max() / need[r]);
        }
    }
    // The scarcest first, so that those behind it rarely divide. One node is asked for all.
    if (const std::size_t middle = snapshot.node_count() / 2; middle > 0) {
        std::ranges::stable_sort(scan.limits, {},
                                 [middle](const Limit& limit) { return limit.room[middle] / limit.need; });
    }
    scan.eligible = snapshot.eligible[shape].data();
    return scan;
}

// This loop is most of a decision, hence a copy for each usual number of resources; `any`: all other numbers.
constexpr std::size_t any = 99;

template <std::size_t Pieces, std::size_t Limits, typename Sink>
void run(const Scan& scan, std::size_t nodes, const Sink& sink) {
    const std::size_t pieces = Pieces == any ? scan.pieces.size() : Pieces;
    const std::size_t limits = Limits == any ? scan.limits.size() : Limits;
    const std::int64_t* const* piece = scan.pieces.data();
    const Limit* limit = scan.limits.data();
    for (std::size_t n = 0; n < nodes; ++n) {
        std::int64_t here = scan.eligible[n] != 0 ? scan.most : 0;
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
void each_node(const Scan& scan, std::size_t nodes, const Sink& sink) {
    if (scan.pieces.size() == 1 && scan.limits.size() == 2) {
        run<1, 2>(scan, nodes, sink);
    } else if (scan.pieces.size() == 2 && scan.limits.size() == 2) {
        run<2, 2>(scan, nodes, sink);
    } else if (scan.pieces.size() == 1 && scan.limits.size() == 3) {
        run<1, 3>(scan, nodes, sink);
    } else {
        run<any, any>(scan, nodes, sink);
    }
}

}  // namespace

std::vector<std::int64_t> slots_per_node(const model::Snapshot& snapshot, const Room& room, model::PodClassId shape) {
    std::vector<std::int64_t> all(snapshot.node_count());
    each_node(scan_for(snapshot, room, shape), all.size(),
              [slots = all.data()](std::size_t n, std::int64_t here) { slots[n] = here; });
    return all;
}

Running running_slots(const model::Snapshot& snapshot, const Room& room, model::PodClassId shape) {
    Running all = std::make_unique_for_overwrite<std::int64_t[]>(snapshot.node_count() + 1);
    all[0] = 0;
    std::int64_t sum = 0;
    each_node(scan_for(snapshot, room, shape), snapshot.node_count(),
              [running = all.get(), &sum](std::size_t n, std::int64_t here) { running[n + 1] = sum += here; });
    return all;
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

std::size_t scarcest(const model::Snapshot& snapshot, const Room& room, std::span<const model::PodClassId> shapes,
                     std::span<const std::int64_t> counts) {
    std::size_t scarce = 0;
    double worst = -1;
    for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
        double need = 0;
        for (std::size_t s = 0; s < shapes.size(); ++s) {
            need += static_cast<double>(counts[s]) * static_cast<double>(snapshot.need[shapes[s]][r]);
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

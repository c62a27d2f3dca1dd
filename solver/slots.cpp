#include "solver/slots.hpp"

#include <algorithm>
#include <limits>

namespace echelon::solver {
namespace {

// A resource that the shape needs more than one of.
struct Limit {
    const std::int64_t* room;
    std::int64_t need;
};

// Divides only where this resource is the one that limits. Requires: `slots` * need doesn't overflow.
std::int64_t limited(std::int64_t slots, const Limit& limit, std::size_t node) {
    const std::int64_t room = limit.room[node];
    if (room >= slots * limit.need) {
        return slots;
    }
    return room < limit.need ? 0 : room / limit.need;
}

// Of one resource on usable nodes. Wraps rather than overflows: it only serves to compare resources.
double free_in_all(const model::Snapshot& snapshot, const std::vector<std::int64_t>& room) {
    std::uint64_t sum = 0;
    for (std::size_t n = 0; n < room.size(); ++n) {
        sum += room[n] > 0 && snapshot.usable[n] != 0 ? static_cast<std::uint64_t>(room[n]) : 0;
    }
    return static_cast<double>(sum);
}

}  // namespace

std::vector<std::int64_t> slots_per_node(const model::Snapshot& snapshot, const Room& room, model::ShapeId shape) {
    const auto& need = snapshot.need[shape];
    std::vector<const std::int64_t*> pieces;  // One per pod: the room is the number.
    std::vector<Limit> limits;
    std::int64_t most = most_slots;
    for (std::size_t r = 0; r < need.size(); ++r) {
        if (need[r] == 1) {
            pieces.push_back(room[r].data());
        } else if (need[r] > 1) {
            limits.push_back({.room = room[r].data(), .need = need[r]});
            most = std::min(most, std::numeric_limits<std::int64_t>::max() / need[r]);
        }
    }
    const std::uint8_t* eligible = snapshot.eligible[shape].data();
    std::vector<std::int64_t> all(snapshot.node_count(), 0);
    std::int64_t* slots = all.data();  // Bare pointers: this loop is most of a decision.
    for (std::size_t n = 0; n < all.size(); ++n) {
        std::int64_t here = eligible[n] != 0 ? most : 0;
        for (const std::int64_t* piece : pieces) {
            here = std::min(here, piece[n]);
        }
        for (const Limit& limit : limits) {
            if (here > 0) {
                here = limited(here, limit, n);
            }
        }
        slots[n] = std::max<std::int64_t>(here, 0);
    }
    return all;
}

std::size_t scarcest(const model::Snapshot& snapshot, const Room& room, std::span<const model::ShapeId> shapes,
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

std::vector<std::int64_t> usable_room(const model::Snapshot& snapshot, const std::vector<std::int64_t>& room) {
    std::vector<std::int64_t> free(room.size());
    for (std::size_t n = 0; n < room.size(); ++n) {
        free[n] = snapshot.usable[n] != 0 ? std::max<std::int64_t>(room[n], 0) : 0;
    }
    return free;
}

}  // namespace echelon::solver

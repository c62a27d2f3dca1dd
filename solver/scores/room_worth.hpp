#pragma once

// What is the room of a node worth? What a stream of requests like the recent ones could still get there of what is
// scarce.
//
// A pod costs what it takes away of that worth: less than its own request where it fills a gap, more where it leaves
// room that few requests can use (SC3, SC4). Streams are the same for all nodes and spread evenly over the mix, so that
// the answer follows from the mix alone. Pure; not thread-safe, since answers are remembered.

#include "solver/scores/node_room.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace echelon::solver {

// The requests that came lately: needs, how often each came, and which kinds of nodes may host it.
struct RequestMix {
    std::vector<PodNeed> needs;
    std::vector<std::uint64_t> counts;                // [need]
    std::vector<std::vector<std::uint8_t>> eligible;  // [kind][need]
};

class RoomWorth {
public:
    explicit RoomWorth(RequestMix mix);

    [[nodiscard]] double of(const NodeRoom& room);
    // What the room loses by a pod; nullopt: it doesn't fit. Requires: it may go to nodes of this kind.
    [[nodiscard]] std::optional<double> loss(const NodeRoom& room, const PodNeed& pod);

private:
    [[nodiscard]] double computed(const NodeRoom& room) const;
    void draw_streams();

    RequestMix mix_;
    std::vector<std::vector<std::uint32_t>> streams_;  // Of needs.
    std::unordered_map<std::string, double> known_;
};

}  // namespace echelon::solver

#pragma once

// What is the room of a node worth? How much of the scarce resource a stream of requests like the recent ones could
// still use there.
//
// A pod costs the value that it takes away: less than its own request where it fills a gap, more where it leaves
// room that few requests can use (SC3, SC4). The streams are the same for all nodes and evenly spread over the mix, so
// the answer depends on the mix alone. Pure; not thread-safe, since answers are cached.

#include "solver/scores/node_room.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace echelon::solver {

// The recent requests: what each needs, how often it came, and which kinds of nodes are eligible.
struct RequestMix {
    std::vector<PodNeed> needs;
    std::vector<std::uint64_t> counts;                // [need]
    std::vector<std::vector<std::uint8_t>> eligible;  // [kind][need]
};

class RoomValue {
public:
    explicit RoomValue(RequestMix mix);

    [[nodiscard]] double of(const NodeRoom& room);
    // The value that a pod takes away; nullopt: it doesn't fit. Requires: nodes of this kind are eligible.
    [[nodiscard]] std::optional<double> loss(const NodeRoom& room, const PodNeed& pod);

private:
    [[nodiscard]] double computed(const NodeRoom& room) const;
    void draw_streams();

    RequestMix mix_;
    std::vector<std::vector<std::uint32_t>> streams_;  // Indexes of needs.
    std::unordered_map<std::string, double> known_;
};

}  // namespace echelon::solver

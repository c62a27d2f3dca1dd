#include "solver/scores/room_value.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace echelon::solver {

namespace {

// More and longer streams distinguish rooms better, and cost more in proportion.
constexpr std::size_t stream_count = 20;
constexpr std::size_t stream_length = 100;
constexpr std::size_t most_known = 1'000'000;  // Cached rooms: about 150 MB.

// The multiples of these modulo 1 are evenly spread, and so are pairs of them.
constexpr double step_in_stream = 0.6180339887498949;
constexpr double step_of_streams = 0.7548776662466927;

std::string key_of(const NodeRoom& room) {
    std::string key;
    const auto add = [&](const auto& values) {
        key.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values.front()));
    };
    key.append(reinterpret_cast<const char*>(&room.kind), sizeof(room.kind));
    add(room.amounts);
    add(room.devices);
    return key;
}

}  // namespace

RoomValue::RoomValue(RequestMix mix) : mix_(std::move(mix)) {
    draw_streams();
}

void RoomValue::draw_streams() {
    std::vector<std::uint32_t> order(mix_.needs.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t need) { return mix_.needs[need].scarce; });
    const auto all = std::accumulate(mix_.counts.begin(), mix_.counts.end(), std::uint64_t{0});
    if (all == 0)
        return;
    const auto need_at = [&](double share) {
        auto left = share * static_cast<double>(all);
        for (const auto need : order) {
            left -= static_cast<double>(mix_.counts[need]);
            if (left < 0)
                return need;
        }
        return order.back();
    };
    for (std::size_t stream = 0; stream < stream_count; ++stream) {
        auto& drawn = streams_.emplace_back();
        for (std::size_t i = 0; i < stream_length; ++i) {
            const auto place =
                static_cast<double>(i) * step_in_stream + (static_cast<double>(stream) + 0.5) * step_of_streams;
            drawn.push_back(need_at(place - std::floor(place)));
        }
    }
}

double RoomValue::computed(const NodeRoom& room) const {
    double value = 0;
    NodeRoom left;
    const auto& may_host = mix_.eligible[room.kind];
    for (const auto& stream : streams_) {
        left = room;
        for (const auto need : stream) {
            if (may_host[need] != 0 && left.take(mix_.needs[need]))
                value += mix_.needs[need].scarce;
        }
    }
    return streams_.empty() ? 0 : value / static_cast<double>(streams_.size());
}

double RoomValue::of(const NodeRoom& room) {
    auto key = key_of(room);
    if (const auto found = known_.find(key); found != known_.end())
        return found->second;
    if (known_.size() >= most_known)
        known_.clear();
    const auto value = computed(room);
    known_.emplace(std::move(key), value);
    return value;
}

std::optional<double> RoomValue::loss(const NodeRoom& room, const PodNeed& pod) {
    NodeRoom after = room;
    if (!after.take(pod))
        return std::nullopt;
    return of(room) - of(after);
}

}  // namespace echelon::solver

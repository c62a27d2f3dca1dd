// Scores of nodes for pods of no gang: the value of room, and the bands from 0 to 10.

#include "solver/scores/node_room.hpp"
#include "solver/scores/request_window.hpp"
#include "solver/scores/room_value.hpp"
#include "solver/scores/score_bands.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using namespace echelon::solver;

namespace {

PodNeed gpus(std::int32_t count, std::int64_t cpu = 0) {
    return {.amounts = {cpu}, .whole = count, .share = 0, .scarce = 1000.0 * count};
}
PodNeed share(std::int32_t milli, std::int64_t cpu = 0) {
    return {.amounts = {cpu}, .whole = 0, .share = milli, .scarce = static_cast<double>(milli)};
}

RoomValue value_for(std::vector<PodNeed> needs, std::vector<std::uint64_t> counts) {
    std::vector<std::uint8_t> all(needs.size(), 1);
    return RoomValue({.needs = std::move(needs), .counts = std::move(counts), .eligible = {all}});
}

using Costs = std::vector<std::optional<NodeCost>>;
using Scores = std::vector<std::uint8_t>;

}  // namespace

TEST_CASE("a share takes from the device with the least that suffices, and devices stay sorted") {
    NodeRoom room{.amounts = {10}, .devices = {100, 400, 700, 1000}, .kind = 0};
    CHECK(room.take(share(350, 4)));
    CHECK(room.devices == std::vector<std::int32_t>{50, 100, 700, 1000});
    CHECK(room.amounts == std::vector<std::int64_t>{6});
    CHECK(room.take(gpus(1)));
    CHECK(room.devices == std::vector<std::int32_t>{0, 50, 100, 700});
    CHECK(!room.take(gpus(1)));
    CHECK(!room.take(share(700, 7)));
    CHECK(room.devices == std::vector<std::int32_t>{0, 50, 100, 700});
}

TEST_CASE("devices of a room stay sorted and never negative, whatever is taken") {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        NodeRoom room{.amounts = {1'000'000}, .devices = std::vector<std::int32_t>(8, 1000), .kind = 0};
        double taken = 0;
        for (int i = 0; i < 30; ++i) {
            const auto pod = random() % 2 == 0 ? share(1 + static_cast<std::int32_t>(random() % 1000))
                                               : gpus(1 + static_cast<std::int32_t>(random() % 4));
            taken += room.take(pod) ? pod.scarce : 0;
            CHECK(std::ranges::is_sorted(room.devices));
            CHECK(room.devices.front() >= 0);
        }
        double left = 0;
        for (const auto device : room.devices)
            left += device;
        CHECK(left + taken == 8000);
    }
}

TEST_CASE("room that no recent request can use is worth nothing (SC4)") {
    auto value = value_for({gpus(2)}, {1});
    CHECK(value.of({.amounts = {0}, .devices = {0, 0, 0, 1000}, .kind = 0}) == 0);
    CHECK(value.of({.amounts = {0}, .devices = {0, 0, 1000, 1000}, .kind = 0}) == 2000);
    // Without cpu beside them, GPUs are worth nothing either.
    auto with_cpu = value_for({gpus(1, 8)}, {1});
    CHECK(with_cpu.of({.amounts = {7}, .devices = {1000, 1000}, .kind = 0}) == 0);
    CHECK(with_cpu.of({.amounts = {8}, .devices = {1000, 1000}, .kind = 0}) == 1000);
}

TEST_CASE("a pod costs least where it leaves the least unusable (SC3)") {
    auto value = value_for({gpus(1), gpus(4)}, {1, 99});
    // One GPU more breaks a set of four on an empty node, and fills a gap on a used one.
    const NodeRoom gap{.amounts = {0}, .devices = {0, 0, 0, 1000}, .kind = 0};
    const NodeRoom set{.amounts = {0}, .devices = {1000, 1000, 1000, 1000}, .kind = 0};
    CHECK(*value.loss(gap, gpus(1)) < *value.loss(set, gpus(1)));
    CHECK(!value.loss(gap, gpus(4)));
}

TEST_CASE("the value of a room follows from the mix alone (I14)") {
    auto one = value_for({gpus(1), share(300), gpus(4)}, {5, 3, 2});
    auto other = value_for({gpus(1), share(300), gpus(4)}, {5, 3, 2});
    const NodeRoom room{.amounts = {0}, .devices = {250, 600, 1000, 1000, 1000, 1000, 1000}, .kind = 0};
    static_cast<void>(other.of({.amounts = {0}, .devices = {1000}, .kind = 0}));
    CHECK(one.of(room) == other.of(room));
    CHECK(one.of(room) == one.of(room));
}

TEST_CASE("the best node has the highest score, and a node that breaks a wider domain never more than others (SC3)") {
    const Costs costs = {NodeCost{.breaks = 0, .loss = 2, .breaks_host = false, .free_scarce = 0},
                         NodeCost{.breaks = 0, .loss = 1, .breaks_host = true, .free_scarce = 0},
                         NodeCost{.breaks = 0, .loss = 1, .breaks_host = false, .free_scarce = 0},
                         NodeCost{.breaks = 1, .loss = 0, .breaks_host = true, .free_scarce = 0},
                         NodeCost{.breaks = 3, .loss = 0, .breaks_host = true, .free_scarce = 0},
                         NodeCost{.breaks = 2, .loss = 0, .breaks_host = true, .free_scarce = 0},
                         std::nullopt,
                         NodeCost{.breaks = 0, .loss = 1, .breaks_host = false, .free_scarce = 0}};
    CHECK(scores_of(costs) == Scores{8, 9, 10, 5, 1, 3, 0, 10});
    CHECK(scores_of({}).empty());
    // Where every rack is whole, one of them must be broken: those nodes still differ from what doesn't fit.
    CHECK(scores_of(Costs{NodeCost{.breaks = 1, .loss = 0, .breaks_host = true, .free_scarce = 0}, std::nullopt}) ==
          Scores{5, 0});
}

TEST_CASE("scores go down by one with each worse cost, and stay in their band") {
    Costs costs;
    for (int i = 0; i < 20; ++i)
        costs.emplace_back(NodeCost{
            .breaks = i < 10 ? 0U : 1U, .loss = static_cast<double>(i), .breaks_host = false, .free_scarce = 0});
    CHECK(scores_of(costs) == Scores{10, 9, 8, 7, 6, 6, 6, 6, 6, 6, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4});
}

TEST_CASE("the window knows the last requests alone") {
    RequestWindow window;
    CHECK(!window.has_moved());
    window.add(2, 10);
    window.add(0, 6);
    CHECK(window.counts() == std::vector<std::uint64_t>{6, 0, 10});
    CHECK(window.has_moved());
    window.mark();
    CHECK(!window.has_moved());
    window.add(1, 8192);
    CHECK(window.counts() == std::vector<std::uint64_t>{0, 8192, 0});
    CHECK(window.has_moved());
}

// What the message of a plan says about members without a seat.
#include "unit-tests/solver/support/gangs.hpp"

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

TEST_CASE("extras wait for room only if room is what they lack (Z37)") {
    CHECK(placed(world_of(hosts({1}), leaf("job", 1, {pods(2, 1)}))).message ==
          "1 pod beyond the minimum waits for room");
    const PodSpec elsewhere{.count = 2, .needs = {{gpu, 1}}, .only = {"no such node"}};
    CHECK(placed(world_of(hosts({8}), leaf("job", 1, {pods(1, 1), elsewhere}))).message ==
          "2 pods beyond the minimum match no usable node");
}

TEST_CASE("extras that a limit or a multiple keeps away don't wait for room (Z37)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {8});
    GroupSpec root = leaf("job", 1, {pods(3, 1)});
    root.most_per_domain = {{rack, 1}};
    CHECK(placed(world_of(nodes, root)).message ==
          "2 pods beyond the minimum wait: group job may have at most 1 in each example.com/rack");
    root = leaf("job", 2, {pods(3, 1)});
    root.multiples = {{rack, 2}};
    CHECK(placed(world_of(nodes, root)).message ==
          "1 pod beyond the minimum waits: group job takes multiples of 2 for each example.com/rack only");
    nodes.front().room[gpu] = 2;
    CHECK(placed(world_of(nodes, root)).message == "1 pod beyond the minimum waits for room");
}

}  // namespace
}  // namespace echelon::solver::testing

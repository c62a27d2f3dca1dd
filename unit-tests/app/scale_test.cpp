// A cluster that is there before echelon starts. `./dev bench scale` does the same with 100,000 nodes.

#include "unit-tests/app/support/large_cluster.hpp"

#include <doctest/doctest.h>

namespace echelon::app {
namespace {

TEST_CASE("a gang that waits among thousands of listed nodes and pods gets its seats") {
    const LargeCluster cluster({.nodes = 2'000, .pods = 8'000, .members = 500});
    const Intake intake(cluster);
    REQUIRE(kube::becomes_true([&] { return intake.published()->stats.held_seats == 500; }));
    const auto published = intake.published();
    CHECK(published->is_synced());
    CHECK(published->stats.nodes == 2'000);
    CHECK(published->stats.pods == 8'500);
}

}  // namespace
}  // namespace echelon::app

// Which domain is reserved for a gang that has waited long (Q5)?

#include "unit-tests/engine/support/passing_gangs.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::reserving_soon;
using test::Rig;

void fill(Rig& rig, const std::string& node) {
    rig.pod("plain-" + node, "", false);
    rig.change_pod("plain-" + node, [&](model::Pod& pod) { pod.node = node; });
}

TEST_CASE("a gang that is bound in part reserves its own rack, however many other racks look closer (Q5, D7)") {
    Rig rig(reserving_soon());
    rig.fabric(1, 8, 4);
    rig.gang({"train", 4, test::rack_key});
    rig.pods("train", 0, 4);
    rig.synced();
    rig.live(2);
    REQUIRE(rig.bound().size() == 4);
    const auto lost = rig.bound().at("train-3");
    rig.remove_pod("train-3");
    fill(rig, lost);
    rig.pod("train-3", "train");
    rig.advance(Time{200'000});
    CHECK(rig.record("train")->message.contains("is reserved for it"));
}

TEST_CASE("racks that are too small anyway don't hide the one that would do (Q5)") {
    Rig rig(reserving_soon());
    for (int rack = 0; rack < 6; ++rack) {
        for (int host = 0; host < 2; ++host)
            rig.node(fmt::format("b0-s{}-h{}", rack, host), "b0", fmt::format("s{}", rack));
    }
    for (int host = 0; host < 6; ++host)
        rig.node(fmt::format("b0-x-h{}", host), "b0", "x");
    rig.synced();
    for (int host = 0; host < 6; ++host)
        fill(rig, fmt::format("b0-x-h{}", host));
    rig.gang({"train", 6, test::rack_key});
    rig.pods("train", 0, 6);
    rig.advance(Time{200'000});
    CHECK(rig.record("train")->message.contains("b0/x is reserved for it"));
}

}  // namespace
}  // namespace echelon::engine

// NUMA zones: what is promised counts until the zones of the node show it (NU2).

#include "unit-tests/engine/support/rig.hpp"

#include <cstdint>
#include <string>

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::Rig;

const std::string host = "b0-r0-h00";

// Two zones of 4 GPUs, of which these are left.
void report(Rig& rig, std::int64_t first, std::int64_t second) {
    model::NodeZones zones{.node = host, .is_single_numa_node = true, .scope = model::ZoneScope::pod, .zones = {}};
    for (const std::int64_t left : {first, second})
        zones.zones.push_back({.name = "zone", .allocatable = {{test::gpu, 4}}, .available = {{test::gpu, left}}});
    rig.step(Observed{model::NodeZonesSeen{.zones = zones}});
}

void gang(Rig& rig, const std::string& name, int pods, std::int64_t gpus) {
    rig.gang({name, pods, test::rack_key});
    for (int i = 0; i < pods; ++i)
        rig.pod(name + "-" + std::to_string(i), name, true, gpus);
    rig.advance(Time{1000});
}

TEST_CASE("seats that are held, and pods that are bound since, count beside the zones (NU2)") {
    Rig rig;
    rig.fabric(1, 1, 1);
    report(rig, 4, 4);
    rig.synced();
    gang(rig, "train", 2, 3);
    REQUIRE(rig.record("train")->phase == model::Phase::held);
    gang(rig, "late", 1, 2);  // Two GPUs are left, one in each zone.
    CHECK(rig.record("late")->reason == "NoRoom");
    CHECK(rig.record("late")->message.find("1 missing (one NUMA zone of nvidia.com/gpu)") != std::string::npos);
    gang(rig, "small", 1, 1);
    CHECK(rig.record("small")->phase == model::Phase::held);
    rig.schedule_all();
    rig.advance(Time{1000});
    REQUIRE(rig.bound().size() == 3);
    rig.advance(Time{20'000});
    CHECK(rig.record("late")->phase == model::Phase::pending);
    report(rig, 1, 0);
    rig.advance(Time{20'000});
    CHECK(rig.record("late")->phase == model::Phase::pending);

    rig.remove_pod("train-0");
    rig.advance(Time{20'000});
    CHECK(rig.record("late")->phase == model::Phase::pending);  // The zones do not show it yet.
    report(rig, 4, 0);
    rig.advance(Time{20'000});
    CHECK(rig.record("late")->phase == model::Phase::held);
}

TEST_CASE("a hold that ends gives its zone back (NU2)") {
    Rig rig;
    rig.fabric(1, 1, 1);
    report(rig, 4, 4);
    rig.synced();
    gang(rig, "train", 2, 4);
    REQUIRE(rig.record("train")->phase == model::Phase::held);
    gang(rig, "late", 1, 3);
    CHECK(rig.record("late")->phase == model::Phase::pending);
    rig.remove_pod("train-0");
    rig.remove_pod("train-1");
    rig.advance(Time{20'000});
    CHECK(rig.record("late")->phase == model::Phase::held);
}

}  // namespace
}  // namespace echelon::engine

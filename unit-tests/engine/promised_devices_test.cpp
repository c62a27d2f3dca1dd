// Room that is promised to gangs, on nodes whose devices come and go (PR1, DR1).

#include "unit-tests/engine/support/rig.hpp"
#include "unit-tests/model/support/devices.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::Rig;

// What the devices of a node offer beside what is promised there.
std::int64_t devices_left(Rig& rig, const std::string& node, const std::string& of = "example.com/gpu") {
    const auto published = rig.engine.published();
    const auto* promises = published->promises.on(node);
    REQUIRE(promises != nullptr);
    for (const auto& [resource, left] : promises->room->left.front().amounts) {
        if (resource == of)
            return left;
    }
    return -1;
}

TEST_CASE("a node is judged again when what its devices offer has changed (PR1, DR1)") {
    using namespace model::devices_of_test;
    const std::string node = "b0-r0-h00";
    Rig rig;
    rig.fabric(1, 1, 1);
    rig.step(Observed{
        model::DeviceClassSeen{{"gpu.example.com", {"device.driver == \"gpu.example.com\""}, "example.com/gpu"}}});
    rig.step(Observed{model::DeviceSliceSeen{devices_of(node, 8)}});
    rig.gang({"train", 1});
    rig.pod("train-0", "train", true, 0);
    rig.change_pod("train-0", [](model::Pod& pod) { pod.pod_class.requests.set("example.com/gpu", 4); });
    rig.synced();
    rig.advance(Time{1000});
    REQUIRE(rig.record("train")->phase == model::Phase::held);
    CHECK(devices_left(rig, node) == 4);

    auto claim = allocated("other", 0, node);
    claim.allocation->devices.clear();
    for (int device = 0; device < 4; ++device)
        claim.allocation->devices.push_back({"gpu.example.com", node, fmt::format("gpu-{}", device)});
    rig.step(Observed{model::DeviceClaimSeen{claim}});
    CHECK(devices_left(rig, node) == 0);
    rig.step(Observed{model::DeviceClaimGone{"default", "other"}});
    CHECK(devices_left(rig, node) == 4);
    rig.step(Observed{model::DeviceSliceSeen{devices_of(node, 5)}});
    CHECK(devices_left(rig, node) == 1);
}

TEST_CASE("a seat holds what its pod asks for now, if that changes after the gang was placed (I2, DR1)") {
    Rig rig;
    rig.fabric(1, 1, 1);
    rig.gang({"train", 1});
    rig.pod("train-0", "train", true, 2);
    rig.synced();
    rig.advance(Time{1000});
    REQUIRE(rig.record("train")->phase == model::Phase::held);
    const auto held = [&] { return rig.engine.published()->promises.on("b0-r0-h00")->room->left.front().amounts; };
    const auto before = held();
    rig.change_pod("train-0", [](model::Pod& pod) { pod.pod_class.requests.set(test::gpu, 6); });
    rig.advance(Time{1000});
    CHECK(held() != before);
    rig.gang({"late", 1});
    rig.pod("late-0", "late", true, 6);
    rig.advance(Time{1000});
    CHECK(rig.record("late")->phase == model::Phase::pending);
    rig.change_pod("train-0", [](model::Pod& pod) { pod.pod_class.requests.set(test::gpu, 2); });
    rig.advance(Time{5000});
    CHECK(rig.record("late")->phase == model::Phase::held);
}

TEST_CASE("devices are held for late members, also when the first one has its own by then (H1, DR1)") {
    using namespace model::devices_of_test;
    const std::string node = "b0-r0-h00";
    Rig rig;
    rig.fabric(1, 1, 1);
    rig.step(Observed{model::DeviceClassSeen{{"gpu.example.com", {"device.driver == \"gpu.example.com\""}, {}}}});
    rig.step(Observed{model::DeviceSliceSeen{devices_of(node, 4)}});
    rig.step(Observed{model::DeviceTemplateSeen{{"default", "one", demand(1)}}});
    rig.gang({"late", 3});
    rig.pod("late-0", "late", true, 0);
    rig.change_gang("late", [&](model::Group& group) {
        group.expected = 3;
        group.start_set = 1;
        group.late_pod_class = rig.pod_of("late-0").pod_class;
        group.late_claims = {{.name = "gpu", .claim = {}, .claim_template = "one"}};
    });
    rig.synced();
    rig.live(5);
    REQUIRE(rig.bound().contains("late-0"));
    CHECK(devices_left(rig, node, of_class) == 2);
}

}  // namespace
}  // namespace echelon::engine

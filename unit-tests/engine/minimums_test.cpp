// What minimums mean over time: they change, extras come, and two gangs want the same room (rules N10, T2.5, T3.5).

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::count_of;
using test::rack_key;
using test::Rig;

int bound_of(const Rig& rig, const std::string& gang) {
    const auto bound = rig.bound();
    return static_cast<int>(
        std::ranges::count_if(bound, [&](const auto& pod) { return pod.first.starts_with(gang + "-"); }));
}

TEST_CASE("a lower minimum unblocks a gang that waits (N10, S17)") {
    Rig rig;
    rig.fabric(1, 1, 2);
    rig.synced();
    rig.gang({"job", 3, rack_key});
    rig.pods("job", 0, 4);
    rig.live(3);
    REQUIRE(rig.record("job")->reason == "Impossible");
    REQUIRE(bound_of(rig, "job") == 0);
    rig.change_gang("job", [](model::Group& group) { group.minimum = 2; });
    rig.live(3);
    CHECK(bound_of(rig, "job") == 2);
}

TEST_CASE("a minimum raised beyond the free room evicts no pod and binds no more (N10, S17)") {
    Rig rig;
    rig.fabric(1, 1, 3);
    rig.synced();
    rig.gang({"job", 2, rack_key});
    rig.pods("job", 0, 2);
    rig.live(3);
    const auto before = rig.bound();
    REQUIRE(before.size() == 2);
    rig.change_gang("job", [](model::Group& group) { group.minimum = 4; });
    rig.pods("job", 2, 4);
    rig.live(5);
    CHECK(rig.bound() == before);
    CHECK(rig.record("job")->phase == model::Phase::degraded);
    // Once the minimum is lowered again, the free room is enough for the new members.
    rig.change_gang("job", [](model::Group& group) { group.minimum = 3; });
    rig.live(5);
    CHECK(bound_of(rig, "job") == 3);
    for (const auto& [pod, node] : before)
        CHECK(rig.bound().at(pod) == node);
}

TEST_CASE("of two gangs with room for one exactly one is bound whole, and the other waits without writing (T2.5)") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.synced();
    for (const char* name : {"young", "old"})
        rig.gang({name, 3, rack_key, {}, name == std::string("old") ? 1 : 2});
    for (int member = 0; member < 3; ++member) {  // They come in turn.
        rig.pods("young", member, member + 1);
        rig.pods("old", member, member + 1);
    }
    rig.live(5);
    CHECK(bound_of(rig, "old") == 3);
    CHECK(bound_of(rig, "young") == 0);
    CHECK(rig.record("young")->reason == "NoRoom");
    const auto writes = rig.writes.size();
    rig.live(60);
    CHECK(rig.writes.size() - writes <= 2);
    for (int member = 0; member < 3; ++member)
        rig.remove_pod("old-" + std::to_string(member));
    rig.live(5);
    CHECK(bound_of(rig, "young") == 3);
}

TEST_CASE("extras that come while another gang is held have what it leaves, and no more (T3.5)") {
    Rig rig;
    rig.fabric(1, 1, 6);
    rig.synced();
    rig.gang({"job", 1, rack_key});
    rig.pods("job", 0, 1);
    rig.live(2);
    REQUIRE(bound_of(rig, "job") == 1);
    rig.gang({"other", 4, rack_key});
    rig.pods("other", 0, 4);
    rig.advance(Time{1000});
    REQUIRE(rig.record("other")->phase == model::Phase::held);
    rig.pods("job", 1, 5, false);  // Before any member of "other" has come to the barrier.
    rig.live(5);
    CHECK(bound_of(rig, "other") == 4);
    CHECK(bound_of(rig, "job") == 2);
}

TEST_CASE("an Invalid gang whose minimum was 0 isn't Bound") {
    Rig rig;
    rig.fabric(1, 1, 2);
    rig.synced();
    rig.gang({"job", 0});
    rig.live(1);
    rig.change_gang("job", [](model::Group& group) { group.required = {"example.com/nowhere"}; });
    rig.pods("job", 0, 2);
    rig.live(2);
    REQUIRE(rig.record("job") != nullptr);
    CHECK(rig.record("job")->reason == "Invalid");
    CHECK(rig.record("job")->phase == model::Phase::pending);
}

TEST_CASE("a gang that is complete stays Bound when its group object goes or becomes Invalid") {
    for (const bool goes : {true, false}) {
        CAPTURE(goes);
        Rig rig;
        rig.fabric(1, 1, 2);
        rig.synced();
        rig.gang({"job", 2});
        rig.pods("job", 0, 2);
        rig.live(3);
        for (const char* name : {"job-0", "job-1"})
            rig.change_pod(name, [](model::Pod& pod) { pod.phase = model::PodPhase::succeeded; });
        rig.advance(Time{10'000});
        REQUIRE(rig.record("job")->phase == model::Phase::bound);
        if (goes) {
            rig.remove_gang("job");
        } else {
            rig.change_gang("job", [](model::Group& group) { group.required = {"example.com/nowhere"}; });
        }
        rig.advance(Time{10'000});
        CHECK(rig.record("job")->phase == model::Phase::bound);
    }
}

}  // namespace
}  // namespace echelon::engine

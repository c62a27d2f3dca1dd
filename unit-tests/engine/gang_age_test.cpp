// The age of a waiting gang outlasts its members, and ends with its root (Q16).

#include "unit-tests/engine/support/passing_gangs.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::reserving_soon;
using test::Rig;

// One rack of 8 hosts, 4 of them in use, and "large", which wants all 8.
void let_large_wait(Rig& rig) {
    rig.fabric(1, 1, 8);
    rig.synced();
    rig.gang({"old", 4, test::rack_key});
    rig.pods("old", 0, 4);
    rig.live(3);
    REQUIRE(rig.racks_of("old").size() == 1);
    rig.gang({"large", 8, test::rack_key, {}, 10});
    rig.pods("large", 0, 8);
    rig.advance(Time{1000});
    REQUIRE(rig.record("large")->reason == "NoRoom");
}

bool has_reserved(const Rig& rig) {
    return rig.record("large")->message.ends_with("is reserved for it");
}

void recreate_after(Rig& rig, Time absence) {
    rig.remove_pod("large-0");
    rig.advance(absence);
    REQUIRE(rig.record("large")->reason == "Incomplete");
    rig.pod("large-0", "large");
    rig.advance(Time{1000});
    REQUIRE(rig.record("large")->reason == "NoRoom");
}

TEST_CASE("a gang reserves a domain at its age, although a member was created anew meanwhile (Q16)") {
    Rig rig(reserving_soon());
    let_large_wait(rig);
    rig.advance(Time{50'000});
    recreate_after(rig, Time{2000});
    rig.advance(Time{5000});
    CHECK_FALSE(has_reserved(rig));
    rig.advance(Time{6000});
    CHECK(has_reserved(rig));
}

TEST_CASE("the time in which a gang lacks members doesn't count, and causes no wake-up (Q16)") {
    Rig rig(reserving_soon());
    let_large_wait(rig);
    rig.advance(Time{30'000});
    rig.remove_pod("large-0");
    rig.advance(Time{1000});
    const auto wake = rig.engine.wakes_at();
    CHECK((!wake || *wake > rig.now + Time{100'000}));
    rig.advance(Time{600'000});
    rig.pod("large-0", "large");
    rig.advance(Time{20'000});
    CHECK_FALSE(has_reserved(rig));
    rig.advance(Time{12'000});
    CHECK(has_reserved(rig));
}

TEST_CASE("a reserved domain is kept while a member is created anew, but not for long (Q16)") {
    Rig rig(reserving_soon());
    let_large_wait(rig);
    rig.advance(Time{65'000});
    REQUIRE(has_reserved(rig));
    rig.gang({"small", 1, test::rack_key, {}, 99});
    rig.pods("small", 0, 1);
    rig.advance(Time{1000});
    REQUIRE(rig.record("small")->reason == "NoRoom");
    recreate_after(rig, Time{10'000});
    CHECK(has_reserved(rig));
    CHECK(rig.record("small")->reason == "NoRoom");
    rig.remove_pod("large-0");
    rig.advance(Time{32'000});
    CHECK(rig.record("small")->phase == model::Phase::held);
}

TEST_CASE("after its domain was given back, a gang that has its members again reserves one at once (Q16)") {
    Rig rig(reserving_soon());
    let_large_wait(rig);
    rig.advance(Time{65'000});
    REQUIRE(has_reserved(rig));
    recreate_after(rig, Time{60'000});
    CHECK(has_reserved(rig));
}

TEST_CASE("another root object of that name is a new gang (Q16)") {
    Rig rig(reserving_soon());
    let_large_wait(rig);
    rig.advance(Time{50'000});
    rig.remove_gang("large");
    rig.gang({"large", 8, test::rack_key, {}, 10});
    rig.change_gang("large", [](model::Group& group) { group.uid = "another"; });
    rig.advance(Time{40'000});
    CHECK_FALSE(has_reserved(rig));
    rig.advance(Time{25'000});
    CHECK(has_reserved(rig));
}

// A gang by labels of two pods that want a whole rack of two hosts.
void labelled(Rig& rig, const std::string& name, std::int64_t created) {
    model::Group root;
    root.key = {"label-gang", "default/" + name.substr(0, name.find('-'))};
    root.minimum = 2;
    root.required = {test::rack_key};
    rig.pod(name, "");
    rig.change_pod(name, [&](model::Pod& pod) {
        pod.created = created;
        pod.membership = model::Membership{root.key, {root}, -1, ""};
    });
}

TEST_CASE("a gang by labels keeps its place in the queue when its oldest member is created anew (Q16)") {
    Rig rig;
    rig.fabric(1, 1, 2);
    rig.synced();
    rig.gang({"before", 2, test::rack_key});
    rig.pods("before", 0, 2);
    rig.live(3);
    REQUIRE(rig.racks_of("before").size() == 1);
    labelled(rig, "first-0", 10);
    labelled(rig, "first-1", 30);
    labelled(rig, "second-0", 20);
    labelled(rig, "second-1", 20);
    rig.advance(Time{1000});
    REQUIRE(rig.record("first")->reason == "NoRoom");
    rig.remove_pod("first-0");
    rig.advance(Time{1000});
    labelled(rig, "first-0", 40);
    rig.advance(Time{1000});
    for (int i = 0; i < 2; ++i)
        rig.remove_pod(fmt::format("before-{}", i));
    rig.remove_gang("before");
    rig.advance(Time{3000});
    CHECK(rig.record("first")->phase == model::Phase::held);
    CHECK(rig.record("second")->reason == "NoRoom");
}

TEST_CASE("a gang by labels that is created anew as a whole is as young as its members (Q16)") {
    Rig rig;
    rig.fabric(1, 1, 2);
    rig.synced();
    rig.gang({"before", 2, test::rack_key});
    rig.pods("before", 0, 2);
    rig.live(3);
    labelled(rig, "first-0", 10);
    labelled(rig, "first-1", 10);
    labelled(rig, "second-0", 20);
    labelled(rig, "second-1", 20);
    rig.advance(Time{1000});
    for (int i = 0; i < 2; ++i)
        rig.remove_pod(fmt::format("first-{}", i));
    rig.advance(Time{1000});
    for (int i = 0; i < 2; ++i)
        labelled(rig, fmt::format("first-{}", i), 40);
    rig.advance(Time{1000});
    for (int i = 0; i < 2; ++i)
        rig.remove_pod(fmt::format("before-{}", i));
    rig.remove_gang("before");
    rig.advance(Time{3000});
    CHECK(rig.record("second")->phase == model::Phase::held);
}

}  // namespace
}  // namespace echelon::engine

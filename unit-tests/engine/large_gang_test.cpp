// A gang of thousands: planned, released and bound as a small one is.

#include "unit-tests/engine/support/rig.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::Rig;

TEST_CASE("a gang of 4,200 members is bound whole, and a plain pod meanwhile (BD5)") {
    constexpr int members = 4'200;
    Rig rig;
    for (int host = 0; host < members / 8; ++host)
        rig.node(fmt::format("n{}", host), "b", fmt::format("r{}", host / 16));
    rig.node("spare", "b", "r-spare", 0);
    rig.gang({"train", members});
    for (int number = 0; number < members; ++number)
        rig.pod(fmt::format("train-{}", number), "train", true, 1);
    rig.pod("plain", "", false, 0);
    rig.synced();
    rig.advance(Time{1000});
    REQUIRE(rig.record("train") != nullptr);
    CHECK(rig.record("train")->seats.size() == members);
    const auto calls = rig.arrive("train", 0, members - 1);
    CHECK(calls.size() == members - 1);
    CHECK(rig.filter("plain").passed);
    const auto plain = rig.bind("plain", "spare");
    rig.settle();
    REQUIRE(rig.answer(plain) != nullptr);
    CHECK(rig.answer(plain)->error.empty());
    CHECK(rig.bound().size() == 1);
    rig.arrive("train", members - 1, members);
    rig.settle();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == members + 1);
    CHECK(rig.record("train")->phase == model::Phase::bound);
}

}  // namespace
}  // namespace echelon::engine

// Reservations that lead to nothing come ever less often (Q5).

#include "unit-tests/engine/support/rig.hpp"

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::Rig;

Options soon() {
    auto options = Rig::default_options();
    options.claim_after = Time{60'000};
    options.claim_lifetime = Time{600'000};
    return options;
}

bool has_reserved(const Rig& rig) {
    return rig.record("large")->message.ends_with("is reserved for it");
}

// One rack of 8 hosts, a pod of no gang on one of them, and "large", which wants all 8.
void large_waits(Rig& rig) {
    rig.fabric(1, 1, 8);
    rig.pod("endless", "", false, 1);
    rig.change_pod("endless", [](model::Pod& pod) { pod.node = "b0-r0-h00"; });
    rig.synced();
    rig.gang({"large", 8, test::rack_key, {}, 10});
    rig.pods("large", 0, 8);
    rig.advance(Time{1000});
    REQUIRE(rig.record("large")->reason == "NoRoom");
}

// Seconds until the gang has a reservation, or none.
int seconds_until(Rig& rig, bool is_reserved) {
    int seconds = 0;
    for (; seconds < 10'000 && has_reserved(rig) != is_reserved; ++seconds)
        rig.advance(Time{1000});
    return seconds;
}

TEST_CASE("the time until the next reservation doubles with each one that led to nothing, up to a bound (Q5)") {
    Rig rig(soon());
    large_waits(rig);
    CHECK(seconds_until(rig, true) == doctest::Approx(60).epsilon(0.1));
    for (const int wait : {120, 240, 480, 960, 1920, 1920}) {
        CHECK(seconds_until(rig, false) == doctest::Approx(600).epsilon(0.01));
        CHECK(seconds_until(rig, true) == doctest::Approx(wait).epsilon(0.02));
    }
    // Another root object is a new gang.
    seconds_until(rig, false);
    rig.remove_gang("large");
    rig.gang({"large", 8, test::rack_key, {}, 10});
    rig.change_gang("large", [](model::Group& group) { group.uid = "another"; });
    rig.advance(Time{1000});
    CHECK(seconds_until(rig, true) == doctest::Approx(60).epsilon(0.1));
}

}  // namespace
}  // namespace echelon::engine

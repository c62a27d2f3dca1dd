// Do extras of gangs that run wait for their turn when echelon has just started, or leads anew?

#include "unit-tests/engine/support/rig.hpp"

#include <cstdint>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::Rig;

// "runs" has two members bound, as many as it needs, and two more wait; a plain pod is on each of the other two hosts.
void run_and_fill(Rig& rig, std::int64_t priority, std::int64_t created) {
    rig.fabric(1, 1, 4);
    rig.synced();
    rig.gang({"runs", 2, {}, priority, created});
    rig.pods("runs", 0, 2);
    rig.live(5);
    REQUIRE(rig.bound().size() == 2);
    rig.gang({"filler", 2, {}, 1000, 1});
    rig.pods("filler", 0, 2);
    rig.live(5);
    REQUIRE(rig.bound().size() == 4);
    rig.pods("runs", 2, 4);
}

void free_while_down(Rig& rig) {
    rig.forget_silently("filler-0");
    rig.forget_silently("filler-1");
    rig.remove_gang_unseen("filler");
    rig.restart();
    rig.live(5);
}

TEST_CASE("after a restart extras of a gang that runs wait for older and for more important gangs (Q11, Q12)") {
    for (const test::GangSpec& other : {test::GangSpec{"older", 2, {}, 1, 10}, {"important", 1, {}, 100, 30}}) {
        CAPTURE(other.name);
        Rig rig;
        run_and_fill(rig, 1, 20);
        rig.gang(other);
        rig.pods(other.name, 0, 2);
        rig.live(5);
        free_while_down(rig);
        for (const auto* pod : {"-0", "-1"})
            CHECK(rig.bound().contains(other.name + pod));
        CHECK(!rig.bound().contains("runs-2"));
        CHECK(!rig.bound().contains("runs-3"));
    }
}

TEST_CASE("a standby that takes the lead plans a waiting minimum before younger extras (Q12)") {
    Rig rig;
    run_and_fill(rig, 1, 20);
    rig.gang({"older", 2, {}, 1, 10});
    rig.pods("older", 0, 2);
    rig.live(5);
    rig.restart_before_sync();
    rig.step(LeadChanged{false});
    rig.synced();
    rig.advance(Time{5000});
    rig.remove_pod("filler-0");  // While nobody leads.
    rig.remove_pod("filler-1");
    rig.advance(Time{5000});
    rig.step(LeadChanged{true});
    rig.live(5);
    CHECK(rig.bound().contains("older-0"));
    CHECK(!rig.bound().contains("runs-2"));
}

TEST_CASE("after a restart extras of a more important gang, too, go before extras of one that runs already (Q12)") {
    Rig rig;
    rig.fabric(1, 1, 5);
    rig.synced();
    rig.gang({"runs", 1, {}, 1, 20});
    rig.pods("runs", 0, 1);
    rig.live(5);
    rig.gang({"filler", 4, {}, 1000, 1});
    rig.pods("filler", 0, 4);
    rig.live(5);
    REQUIRE(rig.bound().size() == 5);
    rig.pods("runs", 1, 3);
    rig.gang({"important", 1, {}, 100, 30});
    rig.pods("important", 0, 3);
    rig.live(5);
    for (int i = 0; i < 3; ++i)
        rig.forget_silently(fmt::format("filler-{}", i));
    rig.restart();
    rig.live(6);
    CHECK(rig.bound().contains("important-0"));
    CHECK(rig.bound().contains("important-1"));
    CHECK(rig.bound().contains("important-2"));
    CHECK(!rig.bound().contains("runs-1"));
}

}  // namespace
}  // namespace echelon::engine

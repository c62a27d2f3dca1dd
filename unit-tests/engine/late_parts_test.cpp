// Parts of a gang that come later have late members, too (H5).

#include "unit-tests/engine/support/rig.hpp"

#include <cstdint>
#include <string>

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::Rig;

// Seats without a bound pod, including those of placeholders.
std::uint32_t held(Rig& rig) {
    const auto stats = rig.engine.published()->stats;
    return stats.held_seats + stats.committed_seats;
}

void schedule(Rig& rig) {
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
}

// One of the parts of a composite. Its leader comes first, and three workers once the leader is bound.
void late_part(Rig& rig, const std::string& name) {
    test::late_gang(rig, {name, 4, test::rack_key});
    rig.change_gang(name, [](model::Group& group) { group.parent = {"compositepodgroup", "default/both"}; });
    rig.pods(name, 0, 1);
}

void workers_come(Rig& rig, const std::string& name) {
    schedule(rig);
    rig.pods(name, 1, 4);
    schedule(rig);
}

TEST_CASE("room is held for the late members of a part that comes an hour after the others (H5)") {
    Rig rig;
    rig.fabric(1, 3, 4);
    rig.add_group("both", test::composite("both", 1));
    rig.synced();
    for (const std::string name : {"first", "second"}) {
        late_part(rig, name);
        workers_come(rig, name);
    }
    REQUIRE(rig.bound().size() == 8);
    rig.advance(Time{3'600'000});
    late_part(rig, "third");
    schedule(rig);
    CHECK(rig.bound().size() == 9);
    CHECK(held(rig) == 3);
    rig.advance(Time{500'000});
    CHECK(held(rig) == 3);
    rig.pods("third", 1, 4);
    schedule(rig);
    CHECK(rig.bound().size() == 12);
    // A worker is created anew: the others of the part are there, so its room waits for it.
    rig.advance(Time{3'600'000});
    rig.remove_pod("third-3");
    rig.advance(Time{1000});
    CHECK(held(rig) == 1);
}

TEST_CASE("a part whose late members didn't come in time costs another part no room (H5)") {
    Rig rig;
    rig.fabric(1, 3, 4);
    rig.add_group("both", test::composite("both", 1));
    rig.synced();
    late_part(rig, "first");
    workers_come(rig, "first");
    late_part(rig, "second");
    schedule(rig);
    REQUIRE(held(rig) == 3);
    rig.advance(Time{610'000});
    REQUIRE(held(rig) == 0);
    late_part(rig, "third");
    schedule(rig);
    CHECK(rig.bound().size() == 6);
    CHECK(held(rig) == 3);
    workers_come(rig, "third");
    CHECK(rig.bound().size() == 9);
    CHECK(held(rig) == 0);
}

}  // namespace
}  // namespace echelon::engine

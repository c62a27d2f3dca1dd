// Groups of a profile without gangs keep their levels (Z34).

#include "unit-tests/engine/support/rig.hpp"

#include <set>

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::Rig;

Options levels_alone() {
    auto options = Rig::default_options();
    options.profiles.at("default-scheduler").gang = false;
    return options;
}

// Racks r0 of three free hosts, and r1 of four.
void uneven_racks(Rig& rig) {
    rig.fabric(1, 2, 4);
    rig.remove_node("b0-r0-h03");
}

TEST_CASE("without gangs the first member goes where all that are declared have room, and others follow (Z34)") {
    Rig rig(levels_alone());
    uneven_racks(rig);
    rig.gang({"train", 4, test::rack_key});
    rig.synced();
    // One by one, without waiting for the minimum.
    for (int i = 0; i < 4; ++i) {
        rig.pods("train", i, i + 1);
        rig.advance(Time{1000});
        rig.schedule_all();
        rig.advance(Time{1000});
        CHECK(rig.bound().size() == static_cast<std::size_t>(i + 1));
        CHECK(rig.racks_of("train") == std::set<std::string>{"b0-r1"});
    }
}

TEST_CASE("without gangs a group of two takes the tighter rack, as a gang does (Z34)") {
    Rig rig(levels_alone());
    uneven_racks(rig);
    rig.gang({"train", 2, test::rack_key});
    rig.pods("train", 0, 1);
    rig.synced();
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.racks_of("train") == std::set<std::string>{"b0-r0"});
}

TEST_CASE("without gangs what fits into the domain is bound, and the rest waits for it alone (Z34)") {
    Rig rig(levels_alone());
    uneven_racks(rig);
    rig.gang({"large", 6, test::rack_key});
    rig.pods("large", 0, 6);
    rig.synced();
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 4);
    CHECK(rig.racks_of("large") == std::set<std::string>{"b0-r1"});
    REQUIRE(rig.record("large") != nullptr);
    CHECK(rig.record("large")->phase == model::Phase::bound);
    CHECK_FALSE(rig.record("large")->message.empty());
    rig.node("b0-r1-h04", "b0", "r1");
    rig.advance(Time{60'000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 5);
    CHECK(rig.racks_of("large").size() == 1);
}

TEST_CASE("without gangs a restart keeps the domain of those that run (Z34)") {
    Rig rig(levels_alone());
    uneven_racks(rig);
    rig.gang({"train", 4, test::rack_key});
    rig.pods("train", 0, 2);
    rig.synced();
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    REQUIRE(rig.bound().size() == 2);
    rig.restart();
    rig.pods("train", 2, 4);
    rig.advance(Time{5000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 4);
    CHECK(rig.racks_of("train") == std::set<std::string>{"b0-r1"});
}

TEST_CASE("a level that nothing knows still holds the pods of a group without gangs (Z34)") {
    Rig rig(levels_alone());
    uneven_racks(rig);
    rig.gang({"train", 2, "example.com/nowhere"});
    rig.pods("train", 0, 2);
    rig.synced();
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().empty());
    REQUIRE(rig.record("train") != nullptr);
    CHECK(rig.record("train")->reason == "Invalid");
}

TEST_CASE("without gangs and levels groups are ignored (Z34)") {
    auto options = levels_alone();
    options.profiles.at("default-scheduler").topology = false;
    Rig rig(options);
    uneven_racks(rig);
    rig.gang({"train", 4, test::rack_key});
    rig.pods("train", 0, 1, false);
    rig.synced();
    rig.advance(Time{1000});
    CHECK(rig.record("train") == nullptr);
    CHECK(rig.filter("train-0").passed);
}

}  // namespace
}  // namespace echelon::engine

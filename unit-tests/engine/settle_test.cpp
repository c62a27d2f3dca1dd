// How long a gang waits for more members before it is planned.

#include "unit-tests/engine/support/rig.hpp"

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::Rig;

constexpr Time settle{50};

// A gang in one rack; `size`: the declared number of pods.
void declare(Rig& rig, std::int64_t minimum, std::optional<std::int64_t> size) {
    rig.fabric(1, 2, 16);
    rig.synced();
    rig.gang({"train", minimum, test::rack_key});
    rig.change_gang("train", [&](model::Group& group) { group.expected = size; });
}

std::uint32_t seats(Rig& rig) {
    return rig.engine.published()->stats.held_seats;
}

TEST_CASE("a gang that states its size is planned with its last member") {
    Rig rig;
    declare(rig, 8, 8);
    rig.pods("train", 0, 7);
    rig.advance(Time{5});
    CHECK(seats(rig) == 0);
    rig.pods("train", 7, 8);
    CHECK(seats(rig) == 8);
}

TEST_CASE("a gang that states its size waits for its extras, but not for ever") {
    Rig rig;
    declare(rig, 4, 8);
    rig.pods("train", 0, 7);
    rig.advance(settle - Time{1});
    CHECK(seats(rig) == 0);
    rig.advance(Time{1});
    CHECK(seats(rig) == 7);
}

TEST_CASE("a gang that states only a minimum is planned together with extras that come within 10 ms") {
    Rig rig;
    declare(rig, 4, {});
    rig.pods("train", 0, 4);
    for (int extra = 4; extra < 9; ++extra) {
        CHECK(seats(rig) == 0);
        rig.advance(Time{9});
        rig.pods("train", extra, extra + 1);
    }
    CHECK(seats(rig) == 0);
    rig.advance(Time{10});
    CHECK(seats(rig) == 9);
}

TEST_CASE("a stream of extras puts off the minimum for 100 ms at most") {
    Rig rig;
    declare(rig, 1, {});
    for (int extra = 0; extra < 11; ++extra) {
        rig.pods("train", extra, extra + 1);
        rig.advance(Time{9});
    }
    CHECK(seats(rig) == 0);
    rig.advance(Time{1});
    CHECK(seats(rig) == 11);
}

TEST_CASE("members beyond the stated size are planned once per settle time at most") {
    Rig rig;
    declare(rig, 2, 2);
    rig.pods("train", 0, 2);
    CHECK(seats(rig) == 2);
    rig.pods("train", 2, 3);
    rig.advance(settle - Time{1});
    rig.pods("train", 3, 4);
    CHECK(seats(rig) == 2);
    rig.advance(Time{10});
    CHECK(seats(rig) == 4);
}

TEST_CASE("a group that comes after its members is planned as before") {
    Rig rig;
    rig.fabric(1, 2, 16);
    rig.synced();
    rig.pods("train", 0, 8);
    rig.gang({"train", 8, test::rack_key});
    rig.advance(settle - Time{1});
    CHECK(seats(rig) == 0);
    rig.advance(Time{1});
    CHECK(seats(rig) == 8);
}

TEST_CASE("the start set is planned with its last member, and late members once all have come or settled (H1)") {
    Rig rig;
    declare(rig, 6, 6);
    rig.change_gang("train", [](model::Group& group) { group.start_set = 2; });
    rig.pods("train", 0, 1);
    CHECK(seats(rig) == 0);
    rig.pods("train", 1, 2);
    CHECK(seats(rig) == 6);
    rig.live(3);
    CHECK(rig.bound().size() == 2);
    rig.pods("train", 2, 5);
    CHECK(rig.gated("train") == 3);
    rig.pods("train", 5, 6);
    rig.settle();
    CHECK(rig.gated("train") == 0);
}

}  // namespace
}  // namespace echelon::engine

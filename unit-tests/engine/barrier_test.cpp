// From the first member to the last binding: gates, nomination, the barrier, the commit.

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::count_of;
using test::first_of;
using test::gang_of_16;
using test::GangSpec;
using test::Rig;

TEST_CASE("nothing is released or bound while members are missing") {
    Rig rig;
    rig.fabric(2, 2, 16);
    rig.gang({"train", 16, test::rack_key});
    rig.pods("train", 0, 12);
    rig.synced();
    rig.advance(Time{5000});
    CHECK(rig.gated("train") == 12);
    CHECK(rig.bound().empty());
    REQUIRE(rig.record("train") != nullptr);
    CHECK(rig.record("train")->reason == "Incomplete");

    rig.pods("train", 12, 16);
    rig.advance(Time{1000});
    CHECK(rig.gated("train") == 0);
    CHECK(rig.record("train")->phase == model::Phase::held);
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 16);
    CHECK(rig.racks_of("train").size() == 1);
    CHECK(rig.record("train")->phase == model::Phase::bound);
    CHECK(rig.record("train")->seats.size() == 16);
}

TEST_CASE("a member is nominated before it loses its gate, and each once") {
    Rig rig;
    gang_of_16(rig);
    rig.synced();
    CHECK(count_of(rig.writes, "nominate") == 16);
    CHECK(count_of(rig.writes, "ungate") == 16);
    for (int i = 0; i < 16; ++i) {
        CHECK(first_of(rig.writes, fmt::format("nominate train-{} ", i)) <
              first_of(rig.writes, fmt::format("ungate train-{}", i)));
    }
    CHECK(rig.bound().empty());
}

TEST_CASE("the commit record is written before the first binding (I1)") {
    Rig rig;
    gang_of_16(rig);
    rig.synced();
    rig.schedule_all();
    const auto record = first_of(rig.writes, "record train Committed");
    const auto bind = first_of(rig.writes, "bind ");
    REQUIRE(record < rig.writes.size());
    REQUIRE(bind < rig.writes.size());
    CHECK(record < bind);
    CHECK(count_of(rig.writes, "bind ") == 16);
}

TEST_CASE("the barrier holds until the last minimum has arrived") {
    Rig rig;
    gang_of_16(rig, false);
    rig.synced();
    std::vector<std::uint64_t> calls;
    for (int i = 0; i < 15; ++i) {
        const auto name = fmt::format("train-{}", i);
        const auto told = rig.filter(name);
        REQUIRE(!told.node.empty());
        calls.push_back(rig.bind(name, told.node));
        rig.settle();
    }
    CHECK(count_of(rig.writes, "bind ") == 0);
    CHECK(rig.answer(calls.front()) == nullptr);
    calls.push_back(rig.bind("train-15", rig.filter("train-15").node));
    rig.settle();
    for (const auto call : calls) {
        REQUIRE(rig.answer(call) != nullptr);
        CHECK(rig.answer(call)->error.empty());
    }
    CHECK(rig.bound().size() == 16);
}

TEST_CASE("at the deadline all waiters fail together, and the plan is kept (B3)") {
    Rig rig;
    gang_of_16(rig);
    rig.synced();
    std::vector<std::uint64_t> calls;
    for (int i = 0; i < 10; ++i) {
        const auto name = fmt::format("train-{}", i);
        calls.push_back(rig.bind(name, rig.filter(name).node));
        rig.advance(Time{1000});
    }
    rig.advance(Time{45'000});
    for (const auto call : calls) {
        REQUIRE(rig.answer(call) != nullptr);
        CHECK(rig.answer(call)->result == BindResult::deadline);
        CHECK(rig.answer(call)->error.starts_with("echelon: gang default/train: "));
    }
    CHECK(rig.bound().empty());
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 16);
}

TEST_CASE("a caller that leaves before the commit is withdrawn (I6)") {
    Rig rig;
    gang_of_16(rig);
    rig.synced();
    std::uint64_t first = 0;
    for (int i = 0; i < 15; ++i) {
        const auto name = fmt::format("train-{}", i);
        const auto call = rig.bind(name, rig.filter(name).node);
        if (i == 0)
            first = call;
    }
    rig.hang_up(first);
    rig.bind("train-15", rig.filter("train-15").node);
    rig.settle();
    CHECK(count_of(rig.writes, "bind ") == 0);
    rig.bind("train-0", rig.filter("train-0").node);
    rig.settle();
    CHECK(rig.bound().size() == 16);
}

TEST_CASE("a member is bound only to its seat (I3)") {
    Rig rig;
    gang_of_16(rig);
    rig.synced();
    const auto seat = rig.filter("train-0").node;
    const auto other = rig.filter("train-1").node;
    const auto wrong = rig.bind("train-0", other);
    REQUIRE(rig.answer(wrong) != nullptr);
    CHECK(rig.answer(wrong)->error.find(seat) != std::string::npos);
    rig.step(BindCalled{9001, {"default", "train-0", "made-up"}, seat});
    REQUIRE(rig.answer(9001) != nullptr);
    CHECK(!rig.answer(9001)->error.empty());
    CHECK(count_of(rig.writes, "bind ") == 0);
}

}  // namespace
}  // namespace echelon::engine

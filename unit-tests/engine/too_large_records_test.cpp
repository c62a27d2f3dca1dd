// What becomes of a gang whose GangPlan is too large for the API server?

#include "unit-tests/engine/support/rig.hpp"

#include <optional>
#include <string>
#include <variant>

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::count_of;
using test::Rig;

// The API server stores GangPlans with this number of seats at most.
void stores_seats(Rig& rig, std::size_t most) {
    rig.fate = [most](const model::Write& write) -> std::optional<model::Outcome> {
        const auto* apply = std::get_if<model::ApplyPlan>(&write);
        if (apply == nullptr || apply->record.seats.size() <= most)
            return std::nullopt;
        model::Outcome refused;
        refused.kind = model::Outcome::Kind::rejected;
        refused.sentence = "recording the plan was answered with 500: etcdserver: request is too large";
        refused.is_too_large = true;
        return refused;
    };
}

TEST_CASE("a gang with too many seats for a GangPlan is Invalid until it needs fewer") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.gang({"train", 4});
    rig.pods("train", 0, 4);
    stores_seats(rig, 3);
    rig.synced();
    rig.advance(Time{30'000});
    REQUIRE(rig.record("train") != nullptr);
    CHECK(rig.record("train")->reason == "Invalid");
    CHECK(rig.record("train")->message == "its GangPlan with 4 seats is too large for the API server");
    CHECK(rig.record("train")->seats.empty());
    CHECK(count_of(rig.writes, "record") < 10);
    rig.remove_pod("train-3");
    rig.change_gang("train", [](model::Group& group) {
        group.minimum = 3;
        ++group.generation;
    });
    rig.advance(Time{30'000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 3);
}

TEST_CASE("bind calls of a gang whose commit record is too large fail with the reason, and none is bound") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.gang({"train", 4});
    rig.pods("train", 0, 4);
    rig.synced();
    rig.advance(Time{1000});
    stores_seats(rig, 3);
    const auto calls = rig.arrive("train", 0, 4);
    rig.advance(Time{1000});
    for (const auto call : calls) {
        REQUIRE(rig.answer(call) != nullptr);
        CHECK(rig.answer(call)->error.contains("request is too large"));
    }
    CHECK(rig.bound().empty());
    CHECK(rig.record("train")->reason == "Invalid");
}

}  // namespace
}  // namespace echelon::engine

// Two echelons: who doesn't lead commits nothing, and who leads again goes on from what the other one wrote.

#include "support/rig.hpp"

#include <map>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::GangSpec;
using test::Rig;

std::string member(int i) {
    return fmt::format("train-{}", i);
}

// Whole-host pods, all of them the minimum, rack required, on 2 x 2 racks of 16; planned and released.
void held_gang(Rig& rig, int size) {
    rig.fabric(2, 2, 16);
    rig.gang({"train", size, test::rack_key});
    rig.pods("train", 0, size);
    rig.synced();
    rig.advance(Time{1000});
}

TEST_CASE("without the lead nothing is committed and nobody bound, and with it again the gang is") {
    Rig rig;
    held_gang(rig, 16);
    std::vector<std::string> seats;
    for (int i = 0; i < 16; ++i) {
        seats.push_back(rig.filter(member(i)).node);
        REQUIRE(!seats.back().empty());
    }
    rig.writes.clear();
    rig.step(LeadChanged{false});
    for (int i = 0; i < 16; ++i) {
        const auto call = rig.bind(member(i), seats[static_cast<std::size_t>(i)]);
        rig.settle();
        REQUIRE(rig.answer(call) != nullptr);
        CHECK(rig.answer(call)->result == BindResult::rejected);
    }
    rig.advance(Time{1000});
    CHECK(rig.writes.empty());
    CHECK(rig.bound().empty());
    rig.step(LeadChanged{true});
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 16);
    CHECK(rig.racks_of("train").size() == 1);
}

TEST_CASE("R17: who leads again completes the gang that another leader committed, to that one's seats") {
    Rig rig;
    held_gang(rig, 4);
    REQUIRE(rig.record("train") != nullptr);
    REQUIRE(rig.record("train")->seats.size() == 4);
    rig.step(LeadChanged{false});
    auto record = *rig.record("train");
    record.phase = model::Phase::committed;
    record.epoch = 7;
    std::map<std::string, std::string> planned;
    for (auto& seat : record.seats) {
        seat.node = fmt::format("b1-r1-h{:02}", 3 + planned.size());
        planned[seat.pod.substr(8)] = seat.node;
    }
    rig.step(Observed{model::PlanSeen{record}});
    for (int i = 0; i < 2; ++i) {
        rig.change_pod(member(i), [&](model::Pod& pod) {
            pod.node = planned.at(pod.name);
            pod.gates.clear();
        });
    }
    rig.step(LeadChanged{true});
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound() == planned);
}

}  // namespace
}  // namespace echelon::engine

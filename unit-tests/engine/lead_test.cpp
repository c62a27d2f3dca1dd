// Two echelons: one that doesn't lead commits nothing, and one that leads again goes on from what the other wrote.

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <map>
#include <optional>

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

TEST_CASE("without the lead nothing is committed or bound; with it again the gang is") {
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

TEST_CASE("the record of a commit that ended with the lead, written late, opens no other commit (I1)") {
    Rig rig;
    held_gang(rig, 2);
    const auto is_commit = [](const model::Write& write) {
        const auto* record = std::get_if<model::ApplyPlan>(&write);
        return record != nullptr && record->record.phase == model::Phase::committed;
    };
    const auto held = *rig.record("train");
    rig.is_late = is_commit;
    rig.schedule_all();
    rig.advance(Time{1000});
    rig.step(LeadChanged{false});
    rig.remove_pod("train-0");
    rig.pod("train-0", "train");
    auto other = held;  // The other leader has its own epochs.
    other.epoch = 0;
    other.phase = model::Phase::pending;
    rig.step(Observed{model::PlanSeen{other}});
    rig.step(LeadChanged{true});
    rig.advance(Time{1000});
    rig.writes.clear();
    rig.arrive("train", 0, 2);
    rig.settle();
    CHECK(test::count_of(rig.writes, "bind") == 0);
    rig.is_late = nullptr;
    rig.settle();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 2);
    CHECK(test::first_of(rig.writes, "bind") > 1);  // After the record of the current members.
}

Options named(const std::string& identity) {
    auto options = Rig::default_options();
    options.identity = identity;
    return options;
}

// Writes of records in this phase, or of any record, don't arrive.
void lose_records(Rig& rig, std::optional<model::Phase> phase) {
    rig.fate = [phase](const model::Write& write) -> std::optional<model::Outcome> {
        const auto* record = std::get_if<model::ApplyPlan>(&write);
        if (record == nullptr || (phase && record->record.phase != *phase))
            return std::nullopt;
        return model::Outcome{model::Outcome::Kind::unknown, "connection lost", "", ""};
    };
}

// The lead is lost and regained, two of three members go, and one comes back: it is bound only with the other.
void check_replacement_waits(Rig& rig) {
    REQUIRE(rig.bound().size() == 3);
    rig.step(LeadChanged{false});
    rig.fate = nullptr;
    rig.remove_pod("train-0");
    rig.remove_pod("train-1");
    rig.pod("train-0", "train");
    rig.step(LeadChanged{true});
    rig.advance(Time{1000});
    CHECK(rig.record("train")->phase == model::Phase::degraded);
    rig.writes.clear();
    rig.arrive("train", 0, 1);
    rig.settle();
    CHECK(test::count_of(rig.writes, "bind") == 0);
    rig.pod("train-1", "train");
    rig.advance(Time{1000});
    rig.arrive("train", 0, 2);
    rig.settle();
    rig.advance(Time{1000});
    CHECK(test::count_of(rig.writes, "bind") == 2);
}

TEST_CASE("a commit that this echelon completed before it lost the lead is not rolled forward again (I1)") {
    Rig rig(named("us"));
    held_gang(rig, 3);
    lose_records(rig, model::Phase::bound);
    rig.arrive("train", 0, 3);
    rig.settle();
    rig.advance(Time{100});
    REQUIRE(rig.record("train")->phase == model::Phase::committed);
    check_replacement_waits(rig);
}

TEST_CASE("a commit that this echelon took up and completed before it lost the lead is not rolled forward again (I1)") {
    Rig rig(named("us"));
    held_gang(rig, 3);
    auto committed = *rig.record("train");
    rig.step(LeadChanged{false});
    ++committed.epoch;
    committed.phase = model::Phase::committed;
    committed.holder = "them";
    lose_records(rig, std::nullopt);
    rig.step(Observed{model::PlanSeen{committed}});
    rig.change_pod("train-0", [&](model::Pod& pod) { pod.node = committed.seats.front().node; });
    rig.step(LeadChanged{true});
    rig.settle();
    rig.arrive("train", 1, 3);
    rig.settle();
    rig.advance(Time{100});
    check_replacement_waits(rig);
}

TEST_CASE("a commit in a new GangPlan is rolled forward, although an earlier one with that epoch was completed (I6)") {
    Rig rig(named("us"));
    held_gang(rig, 3);
    rig.arrive("train", 0, 3);
    rig.settle();
    rig.advance(Time{2000});
    REQUIRE(rig.record("train")->phase == model::Phase::bound);
    const auto bound = *rig.record("train");
    rig.step(LeadChanged{false});
    rig.step(Observed{model::PlanGone{bound.ns, bound.name}});
    for (int i = 1; i < 3; ++i) {
        rig.remove_pod(member(i));
        rig.pod(member(i), "train");
    }
    auto committed = bound;  // The first epoch of the other leader in a separate GangPlan.
    committed.phase = model::Phase::committed;
    committed.holder = "them";
    for (std::size_t i = 0; i < committed.seats.size(); ++i)
        committed.seats[i].uid = rig.pod_of(member(static_cast<int>(i))).uid;
    rig.step(Observed{model::PlanSeen{committed, "another object"}});
    rig.step(LeadChanged{true});
    rig.advance(Time{100});
    rig.writes.clear();
    rig.arrive("train", 1, 2);
    rig.settle();
    CHECK(test::count_of(rig.writes, "bind") == 1);
}

TEST_CASE("a lead that isn't renewed ends by itself, whatever is still in the queue (I9)") {
    Rig rig(named("us"));
    held_gang(rig, 16);
    rig.step(LeadChanged{true, rig.now + Time{10'000}});
    rig.advance(Time{2000});
    rig.step(LeadChanged{true, rig.now + Time{10'000}});
    rig.holds_back_writes = true;
    rig.arrive("train", 0, 16);
    rig.writes.clear();
    // Stopped for so long that another echelon may lead; then earlier answers arrive.
    rig.now += Time{10'001};
    rig.holds_back_writes = false;
    rig.settle();
    rig.advance(Time{1000});
    CHECK(rig.bound().empty());
    CHECK(std::ranges::none_of(rig.writes, [](const auto& line) { return line.starts_with("bind"); }));
    rig.step(LeadChanged{true, rig.now + Time{60'000}});
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 16);
}

TEST_CASE("the engine wants to be woken when its lead ends (I9)") {
    Rig rig;
    rig.fabric(1, 1, 1);
    rig.synced();
    CHECK(!rig.engine.wakes_at().has_value());
    rig.step(LeadChanged{true, rig.now + Time{10'000}});
    CHECK(rig.engine.wakes_at() == rig.now + Time{10'000});
    rig.advance(Time{20'000});
    CHECK(!rig.engine.wakes_at().has_value());
}

TEST_CASE("an echelon that lost the lead during a commit reads what it posted, and posts nothing again (I9)") {
    Rig rig(named("us"));
    held_gang(rig, 16);
    int posted = 0;
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::BindPod>(write) || posted++ < 5)
            return std::nullopt;
        return model::Outcome{model::Outcome::Kind::unknown, "connection lost", "", ""};
    };
    const auto calls = rig.arrive("train", 0, 16);
    rig.settle();
    REQUIRE(rig.bound().size() == 5);
    CHECK(rig.record("train")->holder == "us");
    rig.fate = nullptr;
    rig.step(LeadChanged{false});
    for (const auto call : calls)
        CHECK(rig.answer(call) != nullptr);  // No caller waits for an outcome that is still read.
    rig.writes.clear();
    rig.advance(Time{60'000});
    CHECK(std::ranges::none_of(rig.writes, [](const auto& line) { return line.starts_with("bind"); }));
    CHECK(rig.bound().size() == 5);
    CHECK(rig.engine.is_idle());
    // The next one finishes it, to the same seats.
    const auto planned = rig.record("train")->seats;
    rig.restart();
    for (int i = 0; i < 3; ++i) {
        rig.schedule_all();
        rig.advance(Time{10'000});
    }
    REQUIRE(rig.bound().size() == 16);
    for (const auto& seat : planned)
        CHECK(rig.bound().at(seat.pod.str().substr(8)) == seat.node);
}

TEST_CASE("the leader overwrites a late commit record of another echelon (I9)") {
    Rig rig(named("us"));
    held_gang(rig, 16);
    const auto old = *rig.record("train");
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::BindPod>(write))
            return std::nullopt;
        return model::Outcome{model::Outcome::Kind::unknown, "503", "", ""};
    };
    rig.arrive("train", 0, 16);
    rig.settle();
    REQUIRE(rig.record("train")->phase == model::Phase::committed);
    auto theirs = *rig.record("train");
    theirs.holder = "them";
    std::swap(theirs.seats[0].node, theirs.seats[1].node);
    rig.writes.clear();
    rig.step(Observed{model::PlanSeen{theirs}});
    rig.settle();
    CHECK(test::count_of(rig.writes, "record train Committed") == 1);
    CHECK(rig.record("train")->holder == "us");
}

TEST_CASE(
    "an echelon that leads again completes the gang that another leader committed, to that leader's seats (R17)") {
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
        planned[seat.pod.str().substr(8)] = seat.node;
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

// What the objects of Kubernetes' own groups say of their gang (Z32).

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::Rig;

Options with_conditions() {
    auto options = Rig::default_options();
    options.profiles.at("default-scheduler").conditions = true;
    return options;
}

void give_place(model::Group& group) {
    model::PlacedCondition placed;
    placed.type = group.api_kind + "InitiallyScheduled";
    placed.version = "1";
    group.placed = placed;
}

void gang(Rig& rig, const std::string& name, std::int64_t minimum, const std::string& required = "") {
    rig.gang({name, minimum, required});
    rig.change_gang(name, give_place);
}

// A composite of two PodGroups, of which it needs both.
void pair(Rig& rig, std::int64_t minimum) {
    model::Group both;
    both.key = {"compositepodgroup", "default/both"};
    both.kind = model::GroupKind::composite;
    both.minimum = minimum;
    both.uid = "group-both";
    both.api_version = "scheduling.k8s.io/v1alpha3";
    both.api_kind = "CompositePodGroup";
    give_place(both);
    rig.add_group("both", both);
    for (const auto* name : {"left", "right"}) {
        gang(rig, name, 2);
        rig.change_gang(name, [](model::Group& group) { group.parent = {"compositepodgroup", "default/both"}; });
    }
}

// "NAME: MESSAGE" of what isn't placed, "NAME" of what is, in the order of the writes.
std::vector<std::string> told(const Rig& rig) {
    std::vector<std::string> found;
    for (const auto& write : rig.conditions)
        found.push_back(write.is_met ? write.name : write.name + ": " + write.message);
    return found;
}

using Told = std::vector<std::string>;

TEST_CASE("a gang that waits says why at its object, and is placed once its minimum is bound, for good (Z32)") {
    Rig rig(with_conditions());
    rig.fabric(1, 1, 1);
    gang(rig, "train", 2);
    rig.change_gang("train", [](model::Group& group) { group.generation = 7; });
    rig.pods("train", 0, 2);
    rig.synced();
    rig.advance(Time{1000});
    REQUIRE(rig.conditions.size() == 1);
    const auto waiting = rig.conditions.front();
    CHECK_FALSE(waiting.is_met);
    CHECK(waiting.type == "PodGroupInitiallyScheduled");
    CHECK(waiting.reason == "Unschedulable");
    CHECK(waiting.message == rig.record("train")->message);
    CHECK(waiting.uid == "group-train");
    CHECK(waiting.version == "1");
    CHECK(waiting.generation == 7);
    CHECK(waiting.is_transition);

    rig.node("more", "b0", "r0");
    rig.advance(Time{60'000});
    rig.schedule_all();
    rig.advance(Time{60'000});
    REQUIRE(rig.bound().size() == 2);
    REQUIRE(rig.conditions.size() == 2);
    const auto placed = rig.conditions.back();
    CHECK(placed.is_met);
    CHECK(placed.reason == "Scheduled");
    CHECK(placed.message.empty());
    CHECK(placed.version.empty());
    CHECK(placed.is_transition);

    rig.remove_pod("train-1");
    rig.advance(Time{60'000});
    CHECK(rig.record("train")->phase == model::Phase::degraded);
    rig.remove_pod("train-0");
    rig.advance(Time{60'000});
    CHECK(rig.conditions.size() == 2);
}

TEST_CASE("nothing is written where the profile doesn't say so, and all of it once it does (Z32)") {
    Rig rig;
    rig.fabric(1, 1, 2);
    gang(rig, "train", 2);
    gang(rig, "large", 3);
    rig.pods("train", 0, 2);
    rig.pods("large", 0, 3);
    rig.synced();
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{60'000});
    REQUIRE(rig.bound().size() == 2);
    CHECK(rig.conditions.empty());
    Reconfigured changed{.profiles = with_conditions().profiles,
                         .barrier_timeout = Time{50'000},
                         .settle = Time{50},
                         .claim_after = Time{600'000},
                         .claim_lifetime = Time{600'000},
                         .budget = {},
                         .preemption = {}};
    rig.step(changed);
    rig.advance(Time{1000});
    CHECK(rig.conditions.size() == 2);
}

TEST_CASE("a restart writes nothing again, whether the gang waits or runs or has lost a member (Z32)") {
    Rig rig(with_conditions());
    rig.fabric(1, 1, 2);
    gang(rig, "train", 2);
    gang(rig, "large", 3, test::rack_key);
    rig.pods("train", 0, 2);
    rig.pods("large", 0, 3);
    rig.synced();
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{60'000});
    REQUIRE(rig.bound().size() == 2);
    CHECK(rig.conditions.size() == 2);
    rig.restart();
    rig.advance(Time{60'000});
    CHECK(rig.conditions.size() == 2);
    rig.remove_pod("train-0");
    rig.restart();
    rig.advance(Time{60'000});
    CHECK(rig.conditions.size() == 2);
}

TEST_CASE(
    "the group that doesn't fit has the cause, its relatives point to it, and all of them are placed later (S33)") {
    Rig rig(with_conditions());
    rig.fabric(1, 1, 2);
    pair(rig, 2);
    rig.change_gang("right", [](model::Group& group) { group.required = {test::rack_key}; });
    for (int i = 0; i < 2; ++i) {
        rig.pod(fmt::format("left-{}", i), "left", true, 1);
        rig.pod(fmt::format("right-{}", i), "right", true, 16);
    }
    rig.synced();
    rig.advance(Time{1000});
    CHECK(rig.record("both")->reason == "Impossible");
    const std::string pointer = "waits for group default/right, which is unschedulable";
    CHECK(told(rig) == Told{"both: " + pointer, "left: " + pointer, "right: " + rig.record("both")->message});
    CHECK(rig.conditions.front().type == "CompositePodGroupInitiallyScheduled");
    rig.conditions.clear();
    rig.node("large-0", "b0", "r0", 16);
    rig.node("large-1", "b0", "r0", 16);
    rig.advance(Time{60'000});
    rig.schedule_all();
    rig.advance(Time{60'000});
    REQUIRE(rig.bound().size() == 4);
    CHECK(told(rig) == Told{"both", "left", "right"});
}

TEST_CASE("of a gang that runs, a group without room isn't placed until it is (Z32)") {
    Rig rig(with_conditions());
    rig.fabric(1, 1, 2);
    pair(rig, 1);
    rig.pods("left", 0, 2);
    rig.pods("right", 0, 2);
    rig.synced();
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{60'000});
    REQUIRE(rig.bound().size() == 2);
    CHECK(told(rig) == Told{"both", "left", "right: " + rig.record("both")->message});
    rig.node("more-0", "b0", "r0");
    rig.node("more-1", "b0", "r0");
    rig.advance(Time{60'000});
    rig.schedule_all();
    rig.advance(Time{60'000});
    REQUIRE(rig.bound().size() == 4);
    CHECK(told(rig).back() == "right");
    CHECK(rig.conditions.size() == 4);
}

TEST_CASE("a sentence that keeps changing is written once in ten seconds (Z32)") {
    Rig rig(with_conditions());
    rig.fabric(1, 1, 2);
    gang(rig, "train", 20);
    rig.synced();
    for (int i = 0; i < 10; ++i) {
        rig.pods("train", i, i + 1);
        rig.advance(Time{1000});
    }
    CHECK(rig.conditions.size() <= 2);
    rig.advance(Time{60'000});
    CHECK(rig.conditions.size() <= 3);
    CHECK(rig.conditions.back().message == rig.record("train")->message);
    CHECK_FALSE(rig.conditions.back().is_transition);
}

TEST_CASE("a placed condition of another writer stays, and a write without an answer is repeated (Z32)") {
    Rig rig(with_conditions());
    rig.fabric(1, 1, 1);
    gang(rig, "train", 2);
    gang(rig, "other", 2);
    int failures = 1;
    rig.fate = [&failures](const model::Write& write) -> std::optional<model::Outcome> {
        const auto* condition = std::get_if<model::WriteGroupCondition>(&write);
        if (condition == nullptr || condition->name != "other" || failures-- <= 0)
            return std::nullopt;
        model::Outcome unknown;
        unknown.kind = model::Outcome::Kind::unknown;
        return unknown;
    };
    rig.change_gang_unseen("train", [](model::Group& group) {
        auto placed = *group.placed;
        placed.status = model::PlacedCondition::Status::met;
        placed.version = "2";
        group.placed = placed;
    });
    rig.pods("train", 0, 2);
    rig.pods("other", 0, 2);
    rig.synced();
    rig.advance(Time{100});
    CHECK(std::ranges::count(rig.conditions, "train", &model::WriteGroupCondition::name) == 1);  // A conflict.
    rig.show_gang("train");
    rig.advance(Time{60'000});
    CHECK(std::ranges::count(rig.conditions, "train", &model::WriteGroupCondition::name) == 1);
    CHECK(std::ranges::count(rig.conditions, "other", &model::WriteGroupCondition::name) == 1);
}

TEST_CASE("the echo of a condition plans nothing (Z32)") {
    Rig rig(with_conditions());
    rig.fabric(1, 1, 1);
    gang(rig, "train", 2);
    rig.pods("train", 0, 2);
    rig.synced();
    rig.advance(Time{60'000});
    const auto solves = rig.engine.published()->stats.solves_infeasible;
    rig.change_gang("train", [](model::Group& group) {
        auto placed = *group.placed;
        placed.version = "9";
        group.placed = placed;
    });
    rig.advance(Time{1});
    CHECK(rig.engine.published()->stats.solves_infeasible == solves);
}

TEST_CASE("a condition that was refused, or not sent since the lead ended, is written later (Z32)") {
    Rig rig(with_conditions());
    rig.fabric(1, 1, 4);
    gang(rig, "train", 2);
    rig.pods("train", 0, 2);
    rig.synced();
    int tries = 0;
    rig.fate = [&tries](const model::Write& write) -> std::optional<model::Outcome> {
        const auto* condition = std::get_if<model::WriteGroupCondition>(&write);
        if (condition == nullptr || !condition->is_met || tries++ > 0)
            return std::nullopt;
        return model::Outcome{model::Outcome::Kind::rejected, "not sent, this echelon no longer leads", "", ""};
    };
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{2000});
    REQUIRE(tries == 1);
    rig.step(LeadChanged{false});
    rig.advance(Time{2000});
    rig.step(LeadChanged{true});
    rig.advance(Time{600'000});
    CHECK(tries == 2);
    CHECK(std::ranges::count_if(rig.conditions, &model::WriteGroupCondition::is_met) == 1);
}

}  // namespace
}  // namespace echelon::engine

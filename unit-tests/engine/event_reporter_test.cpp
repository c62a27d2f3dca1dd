// Events about gangs: which, about what, how often.

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::GangSpec;
using test::Rig;

Options with_events() {
    auto options = Rig::default_options();
    options.writes_events = true;
    return options;
}

std::vector<std::string> reasons(const Rig& rig) {
    std::vector<std::string> found;
    for (const auto& event : rig.events)
        found.push_back(event.reason);
    return found;
}

using Reasons = std::vector<std::string>;

TEST_CASE("each step of a gang has one event, about the object that declares the gang") {
    Rig rig(with_events());
    rig.fabric(2, 2, 16);
    rig.gang({"train", 16, test::rack_key});
    rig.pods("train", 0, 15);
    rig.synced();
    rig.advance(Time{1000});
    CHECK(reasons(rig) == Reasons{"Incomplete"});
    rig.pods("train", 15, 16);
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{5000});
    REQUIRE(rig.bound().size() == 16);
    CHECK(reasons(rig) == Reasons{"Incomplete", "Held", "Committed", "Bound"});
    for (const auto& event : rig.events) {
        CHECK(event.about_api_version == "scheduling.k8s.io/v1alpha3");
        CHECK(event.about_kind == "PodGroup");
        CHECK(event.about_name == "train");
        CHECK(event.about_uid == "group-train");
        CHECK(event.ns == "default");
        CHECK(event.sentence.starts_with("echelon: gang default/train: "));
        CHECK_FALSE(event.sentence.ends_with("."));
        CHECK_FALSE(event.is_warning);
    }
    rig.restart();
    rig.advance(Time{5000});
    CHECK(reasons(rig).size() == 4);
}

TEST_CASE("a bound gang's score is written once, if the object has a field for it") {
    Rig rig;
    rig.fabric(1, 2, 8);
    rig.gang({"train", 12, ""});
    rig.change_gang("train", [](model::Group& group) {
        group.preferred = {test::rack_key};
        group.policy.has_placement_score = true;
    });
    rig.pods("train", 0, 12);
    rig.gang({"other", 1, ""});
    rig.pods("other", 0, 1);
    int failures = 1;
    rig.fate = [&failures](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::WritePlacementScore>(write) || failures-- <= 0)
            return std::nullopt;
        model::Outcome unknown;
        unknown.kind = model::Outcome::Kind::unknown;
        return unknown;
    };
    rig.synced();
    rig.advance(Time{1000});
    CHECK(rig.scores.empty());
    rig.schedule_all();
    rig.advance(Time{10'000});
    REQUIRE(rig.bound().size() == 13);
    REQUIRE(rig.scores.size() == 1);
    CHECK(rig.scores.front().uid == "group-train");
    CHECK(rig.scores.front().name == "train");
    CHECK(rig.scores.front().per_mille == 500);
    rig.advance(Time{60'000});
    CHECK(rig.scores.size() == 1);
}

TEST_CASE("events of a gang by labels are about its GangPlan, and a refusal is a warning with the pods' sentence") {
    Rig rig(with_events());
    rig.fabric(1, 1, 2);
    rig.gang({"large", 3, test::rack_key});
    rig.change_gang("large", [](model::Group& group) { group.uid = group.api_version = group.api_kind = ""; });
    rig.pods("large", 0, 3);
    rig.synced();
    rig.advance(Time{60'000});
    REQUIRE(rig.events.size() == 1);
    const auto& event = rig.events.front();
    CHECK(event.about_api_version.empty());
    CHECK(event.plan == "large");
    CHECK(event.reason == "Impossible");
    CHECK(event.is_warning);
    REQUIRE(rig.record("large") != nullptr);
    CHECK(event.sentence == "echelon: gang default/large: " + rig.record("large")->message);
}

TEST_CASE("a gang that alternates between two states gets one event per state in five minutes") {
    Rig rig(with_events());
    rig.fabric(1, 1, 1);
    rig.gang({"pair", 2, test::rack_key});
    rig.pods("pair", 0, 2);
    rig.synced();
    rig.advance(Time{1000});
    const auto to_and_fro = [&rig] {
        rig.remove_pod("pair-1");
        rig.advance(Time{2000});
        rig.pods("pair", 1, 2);
        rig.advance(Time{2000});
    };
    for (int i = 0; i < 5; ++i)
        to_and_fro();
    CHECK(reasons(rig) == Reasons{"Impossible", "Incomplete"});
    rig.advance(Time{300'000});
    to_and_fro();
    CHECK(reasons(rig) == Reasons{"Impossible", "Incomplete", "Incomplete", "Impossible"});
}

TEST_CASE("there are no events without the lead, nor without the option") {
    for (const bool leads : {false, true}) {
        auto options = with_events();
        options.writes_events = !leads;
        Rig rig(options);
        rig.step(LeadChanged{leads});
        rig.fabric(1, 1, 2);
        rig.gang({"pair", 2, test::rack_key});
        rig.pods("pair", 0, 2);
        rig.synced();
        rig.advance(Time{5000});
        CHECK(rig.events.empty());
    }
}

TEST_CASE("events that the API server forbids are logged once, and gangs go on") {
    Rig rig(with_events());
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::EmitGangEvent>(write))
            return std::nullopt;
        model::Outcome outcome;
        outcome.kind = model::Outcome::Kind::rejected;
        outcome.sentence = "forbidden";
        return outcome;
    };
    test::gang_of_16(rig);
    rig.synced();
    rig.schedule_all();
    rig.advance(Time{5000});
    CHECK(rig.bound().size() == 16);
    CHECK(std::ranges::count(rig.notes, "events can't be written: forbidden", &Note::sentence) == 1);
}

}  // namespace
}  // namespace echelon::engine

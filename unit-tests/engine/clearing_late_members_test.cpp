// Pods of lower priority are evicted for a gang whose late members are still to come (rules P3 to P5, P7, H2, H4).

#include "unit-tests/engine/support/clearing_world.hpp"

#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::Rig;

// A plain pod that takes a whole host, if bind allows it.
void plain_pod(Rig& rig, const std::string& name, const std::string& node) {
    rig.pod(name, "", false);
    rig.advance(Time{50});
    rig.filter(name, {node});
    rig.bind(name, node);
    rig.advance(Time{50});
}

// A rack of four hosts, full of the plain pods web-0 to web-3.
void full_of_plain_pods(Rig& rig) {
    rig.fabric(1, 1, 4);
    rig.synced();
    for (int i = 0; i < 4; ++i)
        plain_pod(rig, fmt::format("web-{}", i), fmt::format("b0-r0-h0{}", i));
    REQUIRE(rig.bound().size() == 4);
}

// "lws" takes all four hosts. Its leader comes first, and the others once the leader is bound.
void leader_comes(Rig& rig) {
    test::late_gang(rig, {"lws", 4, test::rack_key, 100, 2});
    rig.pods("lws", 0, 1);
    rig.advance(Time{1000});
    REQUIRE(test::phase_of(rig, "lws") == model::Phase::clearing);
}

// Victims end one after another, and their controller creates each again at once.
void replace_victims(Rig& rig) {
    for (const auto& victim : std::vector<std::string>(rig.evicted)) {
        const auto node = rig.bound().at(victim);
        rig.remove_pod(victim);
        plain_pod(rig, victim + "-again", node);
    }
}

// Evictions end without an answer.
void lose_evictions(Rig& rig) {
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::EvictPod>(write))
            return std::nullopt;
        return test::answer(model::Outcome::Kind::unknown);
    };
}

TEST_CASE("a gang with late members is cleared for once, and starts (P5, P7)") {
    Rig rig(test::preempting());
    full_of_plain_pods(rig);
    leader_comes(rig);
    REQUIRE(rig.evicted.size() == 4);
    replace_victims(rig);
    rig.live(5);
    CHECK(rig.bound().size() == 1);
    CHECK(rig.bound().contains("lws-0"));
    rig.pods("lws", 1, 4);
    rig.live(5);
    CHECK(rig.bound().size() == 4);
    CHECK(test::phase_of(rig, "lws") == model::Phase::bound);
    CHECK(rig.evicted.size() == 4);
    CHECK(rig.engine.published()->stats.clearings[static_cast<std::size_t>(ClearingResult::placed)] == 1);
}

TEST_CASE("a gang with late members waits for victims that a budget lets go one by one (P5)") {
    Rig rig(test::preempting());
    full_of_plain_pods(rig);
    for (int i = 0; i < 4; ++i)
        rig.label_pod(fmt::format("web-{}", i), {{"app", "web"}});
    test::budget(rig, "web", {{"app", "web"}}, 4);
    test::refuse_eviction(rig, "web-2");
    leader_comes(rig);
    CHECK(!rig.evicted.empty());
    CHECK(rig.evicted.size() < 4);
    rig.fate = nullptr;
    rig.advance(Time{20'000});
    CHECK(rig.evicted.size() == 4);
    CHECK(test::phase_of(rig, "lws") == model::Phase::clearing);
}

TEST_CASE("a late member that comes while pods are evicted has its seat for as long as the clearing lasts (P3, H4)") {
    Rig rig(test::preempting());
    full_of_plain_pods(rig);
    leader_comes(rig);
    rig.pods("lws", 1, 2);
    rig.advance(Time{200'000});
    CHECK(test::phase_of(rig, "lws") == model::Phase::clearing);
    CHECK(rig.record("lws")->seats.size() == 2);
    replace_victims(rig);
    rig.live(5);
    CHECK(rig.bound().contains("lws-0"));
    CHECK(rig.bound().contains("lws-1"));
}

TEST_CASE("a restart, and another leader, promise the room of late members again (P3, P4)") {
    for (const bool restarts : {true, false}) {
        CAPTURE(restarts);
        Rig rig(test::preempting());
        full_of_plain_pods(rig);
        lose_evictions(rig);
        leader_comes(rig);
        REQUIRE(rig.engine.held_seats().size() == 4);
        const auto victims = rig.record("lws")->victims;
        if (restarts) {
            rig.restart();
        } else {
            rig.step(LeadChanged{false});
            rig.advance(Time{1000});
            rig.step(LeadChanged{true});
        }
        rig.advance(Time{1000});
        CHECK(rig.engine.held_seats().size() == 4);
        rig.fate = nullptr;
        rig.advance(Time{60'000});
        CHECK(rig.record("lws")->victims == victims);
        REQUIRE(rig.evicted.size() == 4);
        replace_victims(rig);
        rig.live(5);
        CHECK(rig.bound().size() == 1);
        CHECK(rig.bound().contains("lws-0"));
    }
}

}  // namespace
}  // namespace echelon::engine

// No gang waits for an event that never comes: the end of every cause of waiting is noticed.

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <set>
#include <variant>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::GangSpec;
using test::Rig;
using Kind = model::Outcome::Kind;

// Whole-host pods, all of them the minimum, rack required, on 2 x 2 racks of 16; planned and released.
void held_gang(Rig& rig, int size) {
    rig.fabric(2, 2, 16);
    rig.gang({"train", size, test::rack_key});
    rig.pods("train", 0, size);
    rig.synced();
    rig.advance(Time{1000});
}

TEST_CASE("a replacement whose node is cordoned gets another seat in the gang's domain (B5)") {
    Rig rig;
    held_gang(rig, 8);
    rig.schedule_all();
    rig.advance(Time{1000});
    const auto racks = rig.racks_of("train");
    REQUIRE(racks.size() == 1);
    REQUIRE(rig.bound().size() == 8);
    rig.remove_pod("train-3");
    rig.advance(Time{1000});
    rig.pod("train-3", "train");
    rig.advance(Time{1000});
    const auto seat = rig.filter("train-3").node;
    REQUIRE(!seat.empty());
    rig.change_node(seat, [](model::Node& node) { node.unschedulable = true; });
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    REQUIRE(rig.bound().size() == 8);
    CHECK(rig.bound().at("train-3") != seat);
    CHECK(rig.racks_of("train") == racks);
}

TEST_CASE("a minimum lowered to the number of waiting members opens the barrier") {
    Rig rig;
    held_gang(rig, 16);
    rig.arrive("train", 0, 12);
    rig.advance(Time{1000});
    CHECK(rig.bound().empty());
    rig.change_gang("train", [](model::Group& group) {
        group.minimum = 12;
        group.generation = 2;
    });
    rig.advance(Time{10'000});
    CHECK(rig.bound().size() == 12);
    CHECK(rig.racks_of("train").size() == 1);
}

TEST_CASE("the last missing member opens the barrier if another writer binds it to its seat") {
    Rig rig;
    held_gang(rig, 16);
    rig.arrive("train", 0, 15);
    rig.advance(Time{1000});
    CHECK(rig.bound().empty());
    const auto seat = rig.filter("train-15").node;
    REQUIRE(!seat.empty());
    rig.change_pod("train-15", [&](model::Pod& pod) { pod.node = seat; });
    rig.advance(Time{10'000});
    CHECK(rig.bound().size() == 16);
    CHECK(rig.racks_of("train").size() == 1);
}

TEST_CASE("if another writer binds a member in another rack, the rest follows it there (D7)") {
    Rig rig;
    rig.fabric(1, 2, 16);
    rig.gang({"train", 8, test::rack_key});
    rig.pods("train", 0, 8);
    rig.synced();
    rig.advance(Time{1000});
    const auto seat = rig.filter("train-7").node;
    REQUIRE(!seat.empty());
    const std::string elsewhere = seat.starts_with("b0-r0") ? "b0-r1-h00" : "b0-r0-h00";
    rig.change_pod("train-7", [&](model::Pod& pod) { pod.node = elsewhere; });
    rig.advance(Time{10'000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 8);
    CHECK(rig.racks_of("train") == std::set{elsewhere.substr(0, 5)});
}

TEST_CASE("a gang without room for want of refused nodes is tried again when they are forgotten (R3)") {
    auto options = Rig::default_options();
    options.profiles["default-scheduler"].nominate = false;
    Rig rig(options);
    rig.fabric(1, 1, 2);
    rig.gang({"train", 2, test::rack_key});
    rig.pods("train", 0, 2, false);
    rig.synced();
    const auto seat = rig.filter("train-0").node;
    REQUIRE(!seat.empty());
    const std::string other = seat == "b0-r0-h00" ? "b0-r0-h01" : "b0-r0-h00";
    for (int i = 0; i < 3; ++i)
        rig.filter("train-0", {other, "unknown"});
    rig.advance(Time{1000});
    CHECK(!rig.filter("train-0").text.empty());
    rig.advance(options.refused_node_memory + Time{10'000});
    CHECK(!rig.filter("train-0").node.empty());
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 2);
}

TEST_CASE("a nomination that met a conflict is tried again, and the committed gang is completed") {
    Rig rig;
    held_gang(rig, 16);
    rig.fate = [n = 0](const model::Write& write) mutable -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::BindPod>(write) || n++ < 8)
            return std::nullopt;
        return model::Outcome{Kind::unknown, "connection lost", "", ""};
    };
    rig.schedule_all();
    REQUIRE(rig.bound().size() == 8);
    std::string waiting;
    for (int i = 0; i < 16; ++i) {
        if (const auto name = fmt::format("train-{}", i); !rig.bound().contains(name))
            waiting = name;
    }
    rig.change_pod(waiting, [](model::Pod& pod) {
        pod.nominated_node.clear();
        pod.gates = {model::gang_gate};
    });
    int conflicts = 0;
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::NominatePod>(write) || conflicts++ > 0)
            return std::nullopt;
        return model::Outcome{Kind::conflict, "modified", "", ""};
    };
    rig.restart();
    for (int i = 0; i < 10; ++i) {
        rig.schedule_all();
        rig.advance(Time{10'000});
    }
    CHECK(conflicts > 0);
    CHECK(rig.gated("train") == 0);
    CHECK(rig.bound().size() == 16);
}

TEST_CASE("a GangPlan whose deletion failed is deleted later") {
    Rig rig;
    held_gang(rig, 2);
    REQUIRE(rig.record("train") != nullptr);
    int deletions = 0;
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::DeletePlan>(write) || deletions++ > 0)
            return std::nullopt;
        return model::Outcome{Kind::unknown, "503", "", ""};
    };
    rig.remove_pod("train-0");
    rig.remove_pod("train-1");
    rig.remove_gang("train");
    rig.settle();
    REQUIRE(rig.record("train") != nullptr);
    rig.advance(Time{60'000});
    CHECK(rig.record("train") == nullptr);
    CHECK(deletions == 2);
}

TEST_CASE("a GangPlan is deleted by the UID that was seen last, and one that was created anew stays (BD9)") {
    Rig rig;
    held_gang(rig, 2);
    REQUIRE(rig.record("train") != nullptr);
    std::vector<std::string> uids;
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        const auto* forget = std::get_if<model::DeletePlan>(&write);
        if (forget == nullptr)
            return std::nullopt;
        uids.push_back(forget->uid);
        return model::Outcome{Kind::conflict, "409", "", ""};
    };
    SUBCASE("as the answer to the record said") {
        rig.remove_pod("train-0");
        rig.remove_pod("train-1");
        rig.remove_gang("train");
        rig.settle();
        CHECK(uids == std::vector<std::string>{"plan-1"});
    }
    SUBCASE("as the watch said") {
        rig.step(Observed{model::PlanSeen{*rig.record("train"), "another"}});
        rig.remove_pod("train-0");
        rig.remove_pod("train-1");
        rig.remove_gang("train");
        rig.settle();
        CHECK(uids == std::vector<std::string>{"another"});
    }
    rig.advance(Time{60'000});
    CHECK(uids.size() == 1);
    CHECK(rig.record("train") != nullptr);
}

TEST_CASE("a refused nomination is ignored after its binding, and not before") {
    for (const bool is_behind : {true, false}) {
        CAPTURE(is_behind);
        Rig rig;
        rig.fabric(2, 2, 8);
        rig.gang({"train", 4, test::rack_key});
        rig.synced();
        rig.is_late = [](const model::Write& write) {
            const auto* nominate = std::get_if<model::NominatePod>(&write);
            const auto* bind = std::get_if<model::BindPod>(&write);
            return (nominate != nullptr && nominate->pod.name == "train-3") ||
                   (bind != nullptr && bind->pod.name == "train-3");
        };
        rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
            if (std::get_if<model::NominatePod>(&write) == nullptr)
                return std::nullopt;
            return model::Outcome{model::Outcome::Kind::rejected, "no", "", ""};
        };
        rig.pods("train", 0, 4, false);
        rig.advance(Time{200});
        rig.notes.clear();
        if (is_behind)
            rig.arrive("train", 0, 4);
        rig.settle();
        rig.is_late = nullptr;
        rig.settle();
        const auto warnings = std::ranges::count(rig.notes, Note::Level::warning, &Note::level);
        CHECK(warnings == (is_behind ? 0 : 1));
    }
}

}  // namespace
}  // namespace echelon::engine

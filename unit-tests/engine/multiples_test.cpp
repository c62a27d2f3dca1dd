// Groups with multiples per domain (D13), while they are bound, lose members, and after a restart.

#include "model/gang/sub_group_selection.hpp"
#include "unit-tests/engine/support/rig.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::GangSpec;
using test::Rig;

// "slices": 8 whole-host pods, four or eight of them in each rack.
void in_fours(Rig& rig) {
    rig.gang({"slices", 8, ""});
    rig.change_gang("slices", [](model::Group& group) { group.multiples = {{test::rack_key, 4}}; });
    rig.pods("slices", 0, 8);
    rig.synced();
    rig.advance(Time{1000});
}

std::string rack_of(const std::string& node) {
    return node.substr(0, 5);
}

std::map<std::string, int> in_racks(const Rig& rig) {
    std::map<std::string, int> count;
    for (const auto& [pod, node] : rig.bound())
        ++count[rack_of(node)];
    return count;
}

const std::map<std::string, int> two_racks = {{"b0-r0", 4}, {"b0-r1", 4}};

void schedule(Rig& rig) {
    rig.schedule_all();
    rig.advance(Time{1000});
}

// Two racks of `hosts` hosts with four members each; then one member goes, perhaps with its node, and comes back.
void lose_one(Rig& rig, int hosts, bool with_its_node) {
    rig.fabric(1, 2, hosts);
    in_fours(rig);
    schedule(rig);
    REQUIRE(in_racks(rig) == two_racks);
    const auto node = rig.bound().at("slices-3");
    rig.remove_pod("slices-3");
    if (with_its_node)
        rig.remove_node(node);
    rig.pod("slices-3", "slices");
    rig.advance(Time{1000});
    schedule(rig);
}

TEST_CASE("a gang in slices of consecutive ranks is bound, and a lost member returns to where its slice is (Z42)") {
    Rig rig;
    rig.fabric(1, 2, 5);
    rig.gang({"slices", 8, ""});
    rig.change_gang("slices", [](model::Group& group) {
        group.multiples = {{test::rack_key, 4}};
        group.sorts.push_back(model::selector_by_rank());
    });
    const auto add = [&rig](int rank) {
        const auto name = fmt::format("slices-{}", rank);
        rig.pod(name, "slices");
        rig.change_pod(name, [rank](model::Pod& pod) { pod.membership->rank = rank; });
    };
    for (int rank = 0; rank < 8; ++rank)
        add(rank);
    rig.synced();
    rig.advance(Time{1000});
    schedule(rig);
    REQUIRE(in_racks(rig) == two_racks);
    const auto before = rig.bound();
    for (int rank = 1; rank < 8; ++rank) {
        const auto neighbour = fmt::format("slices-{}", rank / 4 * 4);
        CHECK(rack_of(before.at(fmt::format("slices-{}", rank))) == rack_of(before.at(neighbour)));
    }
    rig.remove_pod("slices-5");
    add(5);
    rig.advance(Time{1000});
    schedule(rig);
    REQUIRE(rig.bound().contains("slices-5"));
    CHECK(rack_of(rig.bound().at("slices-5")) == rack_of(before.at("slices-4")));
}

TEST_CASE("a member that is lost is replaced in its own domain, wherever it was there (D13, B6)") {
    for (const bool with_its_node : {false, true}) {
        Rig rig;
        lose_one(rig, 5, with_its_node);
        CHECK(in_racks(rig) == two_racks);
        CHECK(rig.record("slices")->phase == model::Phase::bound);
    }
}

TEST_CASE("without room in its domain a lost member waits, and nothing else moves (D13)") {
    Rig rig;
    lose_one(rig, 4, true);
    CHECK(rig.bound().size() == 7);
    CHECK(rig.record("slices")->reason == "Impossible");
}

TEST_CASE("a commit that is begun goes on, whatever happens beside it (D13, I6)") {
    Rig rig;
    rig.fabric(1, 2, 4);
    in_fours(rig);
    int posted = 0;
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::BindPod>(write) || ++posted <= 3)
            return std::nullopt;
        model::Outcome later;
        later.kind = model::Outcome::Kind::unknown;
        return later;
    };
    rig.schedule_all();
    REQUIRE(rig.bound().size() == 3);
    rig.fate = {};
    SUBCASE("after a restart") {
        rig.restart();
        rig.synced();
    }
    SUBCASE("planned once more") {
        rig.change_gang("slices", [](model::Group& group) { group.priority = 1; });
    }
    rig.advance(Time{5000});
    rig.schedule_all();
    rig.advance(Time{30'000});
    rig.schedule_all();
    rig.advance(Time{5000});
    CHECK(in_racks(rig) == two_racks);
}

}  // namespace
}  // namespace echelon::engine

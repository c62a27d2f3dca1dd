// Z40: whose pods would go for gangs that don't exist yet?

#include "unit-tests/app/support/live_planning.hpp"

#include <doctest/doctest.h>

namespace echelon::app {

using namespace test;

TEST_CASE("pods are evicted on paper alone, and only where budgets are watched (Z40)") {
    auto state =
        running({model::NodeSeen{node("n0", 2)}, group("runs", 2), member("runs", 0, "n0"), member("runs", 1, "n0")});
    const auto text = manifest_of("job", 2, "priority: 9");
    const PlanCall call{.manifests = {}, .gang = {}, .preempts = true};
    CHECK(planned(state, text, call).status == 400);
    state.options.profiles["ours"].preempt = true;
    CHECK(outcomes_of(planned(state, text)) == Outcomes{"default/job: NoRoom"});
    const auto gangs = gangs_of(planned(state, text, call));
    CHECK(gangs[0].at("victims").size() == 2);
}

TEST_CASE("nobody is evicted on paper where the room is reserved for another gang (Z40, Q6)") {
    model::Topology racks;
    racks.name = "fabric";
    racks.source = model::TopologySource::configuration;
    racks.levels = {"example.com/rack"};
    std::vector<model::Event> facts = {model::TopologySeen{racks}};
    for (const std::string host : {"n0", "n1"}) {
        facts.emplace_back(model::NodeSeen{node(host, 2)});
        facts.emplace_back(group("runs-" + host, 2));
        for (int number = 0; number < 2; ++number)
            facts.emplace_back(member("runs-" + host, number, host));
    }
    auto state = running(facts);
    state.options.profiles["ours"].preempt = true;
    const model::GroupKey starved{"podgroup", "default/starved"};
    state.reservations.put(starved, {{"fabric", "example.com/rack", "r-n0"}, engine::Time{60'000}, 9});
    const PlanCall call{.manifests = {}, .gang = {}, .preempts = true};
    const auto gangs = gangs_of(planned(state, manifest_of("job", 2, "priority: 9"), call));
    REQUIRE(gangs[0].at("outcome") == "Clearing");
    CHECK(gangs[0].at("victims")[0].at("node") == "n1");
    state.reservations.put({"podgroup", "default/other"},
                           {{"fabric", "example.com/rack", "r-n1"}, engine::Time{60'000}, 9});
    const auto closed = planned(state, manifest_of("job", 2, "priority: 9"), call);
    CHECK(outcomes_of(closed) == Outcomes{"default/job: NoRoom"});
    CHECK(closed.text.find("no pod is evicted for it") != std::string::npos);
}

}  // namespace echelon::app

#include "config/simulation_settings.hpp"

#include "config/settings.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace echelon::config;

namespace {

const std::string head = "apiVersion: config.echelon.sh/v1alpha1\nkind: EchelonConfiguration\n";

}  // namespace

TEST_CASE("a simulation scores as kube-scheduler does by default, unless the file says otherwise") {
    CHECK(simulation_settings("") == SimulationSettings{});
    CHECK(simulation_settings(default_file()) == SimulationSettings{});
    const auto text = head + "profiles: [{schedulerName: a, scores: pack}, {schedulerName: b}]\n" +
                      "simulation: {scoring: MostAllocated}\n";
    REQUIRE(parse(text));
    CHECK(simulation_settings(text) == SimulationSettings{.scoring = StockScoring::most_allocated, .packs = true});
    CHECK(!simulation_settings(head + "profiles: [{schedulerName: a}, {schedulerName: b, scores: pack}]\n").packs);
}

TEST_CASE("unknown words for scores and scoring are faults") {
    const auto scores = parse(head + "profiles: [{schedulerName: a, scores: spread}]\n");
    REQUIRE(!scores);
    CHECK(scores.error().front().path == "profiles[0].scores");
    const auto scoring = parse(head + "profiles: [{schedulerName: a}]\nsimulation: {scoring: Best}\n");
    REQUIRE(!scoring);
    CHECK(scoring.error().front().path == "simulation.scoring");
}

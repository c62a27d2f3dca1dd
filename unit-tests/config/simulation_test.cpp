// What a configuration file says to `echelon simulate`.

#include "config/settings.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace echelon::config;

namespace {

const std::string head = "apiVersion: config.echelon.sh/v1alpha1\nkind: EchelonConfiguration\n";

}  // namespace

TEST_CASE("a simulation scores as kube-scheduler does by default, unless the file says otherwise") {
    const auto defaults = parse(default_file());
    REQUIRE(defaults);
    CHECK(defaults->simulation_scoring == StockScoring::least_allocated);
    CHECK(defaults->profiles.front().scores == Scores::none);
    const auto settings = parse(head + "profiles: [{schedulerName: a, scores: pack}, {schedulerName: b}]\n" +
                                "simulation: {scoring: MostAllocated}\n");
    REQUIRE(settings);
    CHECK(settings->simulation_scoring == StockScoring::most_allocated);
    CHECK(settings->profiles.at(0).scores == Scores::pack);
    CHECK(settings->profiles.at(1).scores == Scores::none);
}

TEST_CASE("unknown words for scores and scoring are faults") {
    const auto scores = parse(head + "profiles: [{schedulerName: a, scores: spread}]\n");
    REQUIRE(!scores);
    CHECK(scores.error().front().path == "profiles[0].scores");
    const auto scoring = parse(head + "profiles: [{schedulerName: a}]\nsimulation: {scoring: Best}\n");
    REQUIRE(!scoring);
    CHECK(scoring.error().front().path == "simulation.scoring");
}

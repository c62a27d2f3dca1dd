#include "config/settings.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::config {
namespace {

const std::string heading =
    "apiVersion: config.echelon.sh/v1alpha1\nkind: EchelonConfiguration\nprofiles:\n- schedulerName: "
    "default-scheduler\n";

TEST_CASE("the section health names conditions and taints (Z38)") {
    const auto settings =
        parse(heading + "health: {conditions: [GpuBroken, LinkUp=False], taints: [\"a/b=v:NoSchedule\"]}\n");
    REQUIRE(settings);
    CHECK(settings->health.conditions == std::vector<std::string>{"GpuBroken", "LinkUp=False"});
    CHECK(settings->health.taints == std::vector<std::string>{"a/b=v:NoSchedule"});
}

TEST_CASE("what has another form is a fault (Z38)") {
    struct Row {
        std::string section;
        std::string fault;
    };
    for (const auto& row :
         std::vector<Row>{{"{conditions: [A=maybe]}",
                           "conditions: has \"A=maybe\", which isn't TYPE or TYPE=STATUS (True, False or Unknown)"},
                          {"{taints: [\"a:Never\"]}",
                           "taints: has \"a:Never\", which isn't KEY, KEY=VALUE, KEY:EFFECT or KEY=VALUE:EFFECT"},
                          {"{taints: a}", "taints: must be a list, not \"a\""},
                          {"{labels: [a]}", "labels: isn't a known key"}}) {
        CAPTURE(row.section);
        const auto settings = parse(heading + "health: " + row.section + "\n");
        REQUIRE_FALSE(settings);
        CHECK(to_line("f", settings.error().front()) == "f:5: health." + row.fault);
    }
}

}  // namespace
}  // namespace echelon::config

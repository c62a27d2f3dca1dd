// The section `limits`, read from whole files.

#include "config/settings.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::config {
namespace {

const std::string heading = "apiVersion: config.echelon.sh/v1alpha1\nkind: EchelonConfiguration\n";  // Lines 1 and 2.
const std::string profiles = "profiles:\n- schedulerName: default-scheduler\n";

using Lines = std::vector<std::string>;

// The faults of a file as the lines that a user sees.
Lines faults_of(const std::string& yaml) {
    Lines out;
    const auto settings = parse(yaml);
    if (settings)
        return out;
    for (const Fault& fault : settings.error())
        out.push_back(to_line("f", fault));
    return out;
}

TEST_CASE("each bound is taken at its least and at its most, and refused beyond") {
    struct Row {
        std::string key;
        std::int64_t Limits::* value;
        std::int64_t least;
        std::int64_t most;
    };
    const auto with = [](const std::string& key, std::int64_t number) {
        return heading + profiles + fmt::format("limits: {{{}: {}}}\n", key, number);
    };
    for (const auto& [key, value, least, most] :
         std::vector<Row>{{"members", &Limits::members, 1, 200'000},
                          {"groups", &Limits::groups, 1, 65'536},
                          {"depth", &Limits::depth, 4, 256},
                          {"declaredGroups", &Limits::declared_groups, 4, 1'024},
                          {"annotationBytes", &Limits::annotation_bytes, 1'024, 262'144},
                          {"annotationDepth", &Limits::annotation_depth, 4, 64},
                          {"topologyNodes", &Limits::topology_nodes, 1, 1'000'000},
                          {"patternBytes", &Limits::pattern_bytes, 262'144, 67'108'864},
                          {"resources", &Limits::resources, 8, 1'024},
                          {"messageBytes", &Limits::message_bytes, 256, 32'768}}) {
        CAPTURE(key);
        for (const auto at : {least, most}) {
            const auto taken = parse(with(key, at));
            REQUIRE(taken);
            CHECK(taken->limits.*value == at);
        }
        CHECK(faults_of(with(key, most + 1)) ==
              Lines{fmt::format("f:5: limits.{}: must be from {} to {}", key, least, most)});
        CHECK(faults_of(with(key, least - 1)).size() == 1);
    }
    CHECK(parse(heading + profiles + "limits: {longestHold: 1m30s, freePriority: true}\n")->limits ==
          Limits{.longest_hold = std::chrono::seconds(90), .free_priority = true});
    for (const std::string hold : {"0s", "500ms", "1500ms", "24h1s"}) {
        CHECK(faults_of(heading + profiles + "limits: {longestHold: " + hold + "}\n") ==
              Lines{"f:5: limits.longestHold: must be whole seconds from 1s to 24h"});
    }
    CHECK(faults_of(heading + profiles + "limits: {nodes: 7}\n") == Lines{"f:5: limits.nodes: isn't a known key"});
}

}  // namespace
}  // namespace echelon::config

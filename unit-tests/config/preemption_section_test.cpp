#include "config/settings.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::config {
namespace {

const std::string heading = "apiVersion: config.echelon.sh/v1alpha1\nkind: EchelonConfiguration\n";  // Lines 1 and 2.
const std::string profiles = "profiles:\n- schedulerName: default-scheduler\n";

using Lines = std::vector<std::string>;

Lines faults_of(const std::string& yaml) {
    Lines lines;
    const auto settings = parse(yaml);
    if (settings)
        return lines;
    for (const auto& fault : settings.error())
        lines.push_back(to_line("f", fault));
    return lines;
}

TEST_CASE("bounds of preemption are said, and it needs gangs (P6)") {
    struct Row {
        std::string section;
        std::string fault;
    };
    for (const auto& row : std::vector<Row>{{"{maxVictims: 0}", "maxVictims: must be a number above 0, not 0"},
                                            {"{maxVictims: 10001}", "maxVictims: must be at most 10000"},
                                            {"{timeout: 0s}", "timeout: must be from 1s to 24h"},
                                            {"{timeout: 25h}", "timeout: must be from 1s to 24h"},
                                            {"{foreign: yes}", "foreign: must be true or false, not \"yes\""},
                                            {"{enabled: true}", "enabled: isn't a known key"}}) {
        CAPTURE(row.section);
        CHECK(faults_of(heading + profiles + "preemption: " + row.section + "\n") ==
              Lines{"f:5: preemption." + row.fault});
    }
    CHECK(faults_of(heading + "profiles: [{schedulerName: a, gang: false, preempt: true}]\n") ==
          Lines{"f:3: profiles[0].preempt: needs gang: true, since pods are evicted for gangs alone"});
}

}  // namespace
}  // namespace echelon::config

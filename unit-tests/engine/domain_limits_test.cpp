// Groups with a limit for each domain (D16) while they are bound, lose members, and echelon is started again.

#include "unit-tests/engine/support/rig.hpp"

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::Rig;

std::map<std::string, int> in_racks(const Rig& rig) {
    std::map<std::string, int> count;
    for (const auto& [pod, node] : rig.bound())
        ++count[node.substr(0, 5)];
    return count;
}

TEST_CASE("bound members count in their domains, also after a restart (D16)") {
    for (const bool restarts : {false, true}) {
        CAPTURE(restarts);
        Rig rig;
        rig.fabric(1, 2, 6);
        rig.gang({"spread", 8, ""});
        rig.change_gang("spread", [](model::Group& group) { group.most_per_domain = {{test::rack_key, 4}}; });
        rig.pods("spread", 0, 8);
        rig.synced();
        rig.advance(Time{1000});
        rig.schedule_all();
        rig.advance(Time{1000});
        const std::map<std::string, int> even = {{"b0-r0", 4}, {"b0-r1", 4}};
        REQUIRE(in_racks(rig) == even);
        rig.remove_pod("spread-3");
        if (restarts) {
            rig.restart();
            rig.synced();
        }
        rig.pod("spread-3", "spread");
        rig.advance(Time{1000});
        rig.schedule_all();
        rig.advance(Time{1000});
        CHECK(in_racks(rig) == even);
        CHECK(rig.record("spread")->phase == model::Phase::bound);
    }
}

}  // namespace
}  // namespace echelon::engine

// A changed topology is resolved once per batch, and only the gangs that it touches are judged again.

#include "unit-tests/engine/support/rig.hpp"

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::Rig;

model::DeclaredDomain leaf_domain(const std::string& name, const std::vector<std::string>& nodes) {
    model::DeclaredDomain domain;
    domain.name = name;
    domain.api_kind = "HyperNode.topology.volcano.sh";
    domain.tier = 1;
    for (const auto& node : nodes) {
        domain.members.emplace_back().name = node;
    }
    return domain;
}

void show(Rig& rig, const model::DeclaredDomain& domain) {
    rig.step(Observed{model::DomainSeen{domain}});
}

// Four hosts without labels that matter, and a gang of two that asks for one HyperNode.
Rig four_hosts() {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.gang({"train", 2, model::tier_level(1)});
    rig.pods("train", 0, 2);
    rig.synced();
    return rig;
}

TEST_CASE("a gang that was Invalid without its level is placed once HyperNodes bring it") {
    auto rig = four_hosts();
    rig.advance(Time{1000});
    REQUIRE(rig.record("train") != nullptr);
    CHECK(rig.record("train")->reason == "Invalid");
    show(rig, leaf_domain("left", {"b0-r0-h00", "b0-r0-h01"}));
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 2);
}

TEST_CASE("a gang that lost its level while no gang waited for room is Invalid") {
    auto rig = four_hosts();
    show(rig, leaf_domain("left", {"b0-r0-h00", "b0-r0-h01"}));
    rig.change_gang("train", [](model::Group& group) { group.minimum = 3; });
    rig.advance(Time{1000});
    REQUIRE(rig.record("train") != nullptr);
    CHECK(rig.record("train")->reason == "Incomplete");
    rig.step(Observed{model::DomainGone{"left"}});
    rig.advance(Time{1000});
    CHECK(rig.record("train")->reason == "Invalid");
}

TEST_CASE("changes that touch no gang aren't handled again") {
    auto rig = four_hosts();
    show(rig, leaf_domain("left", {"b0-r0-h00", "b0-r0-h01"}));
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{5000});
    REQUIRE(rig.bound().size() == 2);
    show(rig, leaf_domain("left", {"b0-r0-h00", "b0-r0-h01", "b0-r0-h03"}));
    REQUIRE(rig.engine.wakes_at().has_value());
    CHECK(*rig.engine.wakes_at() <= rig.now + Time{100});
    const auto writes = rig.writes.size();
    rig.advance(Time{1000});
    CHECK(rig.writes.size() == writes);
    CHECK((!rig.engine.wakes_at() || *rig.engine.wakes_at() > rig.now));
}

}  // namespace
}  // namespace echelon::engine

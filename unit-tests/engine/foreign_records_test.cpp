// GangPlans that echelon hasn't written: what one says about other gangs doesn't count (BD3).

#include "unit-tests/engine/support/rig.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::GangSpec;
using test::Rig;

std::uint32_t promised_seats(Rig& rig) {
    const auto published = rig.engine.published();
    return published->stats.held_seats + published->stats.committed_seats;
}

model::PlanRecord forged(const std::string& ns, const std::string& name) {
    model::PlanRecord record;
    record.ns = ns;
    record.name = name;
    record.root = {"podgroup", ns + "/" + name};
    record.phase = model::Phase::committed;
    record.epoch = INT64_MAX;
    return record;
}

// The pods of a gang of another namespace, whose GangPlan is there before them.
model::Pod stranger(const std::string& name) {
    model::Pod pod;
    pod.uid = "uid-" + name;
    pod.ns = "b";
    pod.name = name;
    pod.scheduler_name = "default-scheduler";
    pod.pod_class.requests = {{"cpu", 1000}, {test::gpu, 8}, {"pods", 1}};
    pod.membership = model::Membership{{"podgroup", "b/forged"}, {}, -1, ""};
    return pod;
}

void show_forged_gang(Rig& rig) {
    model::Group group;
    group.key = {"podgroup", "b/forged"};
    group.minimum = 2;
    group.uid = "uid-forged";
    rig.step(Observed{model::PodSeen{stranger("x0")}});  // First: the gang isn't planned at once then.
    rig.step(Observed{model::GroupSeen{group}});
}

TEST_CASE("a Committed GangPlan of one namespace doesn't take the pods of another one's gang") {
    Rig rig;
    rig.fabric(1, 1, 2);
    rig.gang({"train", 2});
    rig.pods("train", 0, 2);
    rig.synced();
    rig.advance(Time{1000});
    REQUIRE(promised_seats(rig) == 2);
    const auto seat = rig.filter("train-0").node;
    auto record = forged("b", "forged");
    record.seats = {{"default/train-0", rig.pod_of("train-0").uid, "elsewhere", false, false}};
    rig.step(Observed{model::PlanSeen{record}});
    show_forged_gang(rig);
    rig.advance(Time{1000});
    CHECK(promised_seats(rig) == 2);
    CHECK(rig.filter("train-0").node == seat);
    // Nor does its room go to others.
    rig.gang({"other", 1});
    rig.pods("other", 0, 1);
    rig.advance(Time{1000});
    CHECK(rig.filter("other-0").node.empty());
    rig.schedule_all();
    CHECK(rig.bound().size() == 2);
}

TEST_CASE("a Committed GangPlan holds no room that another gang holds already") {
    Rig rig;
    rig.fabric(1, 1, 2);
    rig.gang({"train", 2});
    rig.pods("train", 0, 2);
    rig.synced();
    rig.advance(Time{1000});
    const auto seat = rig.filter("train-0").node;
    REQUIRE(!seat.empty());
    const auto epoch = rig.record("train")->epoch;
    auto record = forged("b", "forged");
    record.seats = {{"b/x0", "uid-x0", seat, false, false}};
    rig.step(Observed{model::PlanSeen{record}});
    show_forged_gang(rig);
    CHECK(promised_seats(rig) == 2);
    rig.change_node(seat, [](model::Node& node) { node.labels["news"] = "1"; });  // Its holders look again.
    rig.advance(Time{1000});
    CHECK(rig.filter("train-0").node == seat);
    CHECK(rig.record("train")->epoch == epoch);  // Its plan is still the first one.
    rig.schedule_all();
    CHECK(rig.bound().size() == 2);
}

}  // namespace
}  // namespace echelon::engine

// GangPlans that echelon hasn't written: what one says about other gangs doesn't count (BD3).

#include "unit-tests/engine/support/rig.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::count_of;
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

// Gang "train" holds both nodes.
void train_is_held(Rig& rig) {
    rig.fabric(1, 1, 2);
    rig.gang({"train", 2});
    rig.pods("train", 0, 2);
    rig.synced();
    rig.advance(Time{1000});
    REQUIRE(promised_seats(rig) == 2);
}

TEST_CASE("a Committed GangPlan of one namespace doesn't take the pods of another one's gang") {
    Rig rig;
    train_is_held(rig);
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
    train_is_held(rig);
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

// The GangPlan of gang "b/other", as an echelon with these profiles writes it.
model::PlanSeen of_schedulers(const std::vector<base::Text>& names) {
    auto record = forged("b", "other");
    record.scheduler_names = names;
    return {record, "uid-of-record"};
}

// A pod of that gang which another scheduler places.
model::Pod foreign_pod(const std::string& name) {
    auto pod = stranger(name);
    pod.scheduler_name = "other-scheduler";
    pod.membership->leaf.name = "b/other";
    return pod;
}

bool is_deleted(Rig& rig, const model::PlanSeen& seen) {
    rig.fabric(1, 1, 2);
    rig.step(Observed{seen});
    rig.synced();
    rig.advance(Time{60'000});
    return count_of(rig.writes, "forget") > 0;
}

TEST_CASE("the GangPlan of another echelon's gang is left alone") {
    Rig rig;
    CHECK_FALSE(is_deleted(rig, of_schedulers({"other-scheduler"})));
    REQUIRE(!rig.notes.empty());
    CHECK(rig.notes.front().sentence ==
          "no profile lists the schedulers of 1 GangPlan, such as \"other-scheduler\": left alone");
    Rig shared;
    CHECK(is_deleted(shared, of_schedulers({"default-scheduler", "other-scheduler"})));
}

TEST_CASE("a GangPlan that names no scheduler is left alone if pods of another one name its gang") {
    Rig rig;
    rig.step(Observed{model::PodSeen{foreign_pod("x0")}});
    CHECK_FALSE(is_deleted(rig, of_schedulers({})));
    Rig alone;
    CHECK(is_deleted(alone, of_schedulers({})));
}

TEST_CASE("an echelon without profiles deletes no GangPlan") {
    auto options = Rig::default_options();
    options.profiles.clear();
    Rig rig(options);
    CHECK_FALSE(is_deleted(rig, of_schedulers({})));
}

void show_group_without_pods(Rig& rig) {
    model::Group group;
    group.key = {"podgroup", "b/other"};
    group.minimum = 2;
    group.uid = "uid-other";
    rig.step(Observed{model::GroupSeen{group}});
}

TEST_CASE("the GangPlan of a group that gets its first pods from another scheduler is left to its echelon, if any") {
    for (const bool has_echelon : {true, false}) {
        CAPTURE(has_echelon);
        Rig rig;
        rig.fabric(1, 1, 2);
        show_group_without_pods(rig);
        rig.synced();
        rig.advance(Time{1000});
        REQUIRE(count_of(rig.writes, "record other Pending") == 1);
        rig.step(Observed{model::PodSeen{foreign_pod("x0")}});
        rig.advance(Time{5000});
        CHECK(count_of(rig.writes, "forget") == 0);
        if (has_echelon)
            rig.step(Observed{of_schedulers({"other-scheduler"})});
        rig.advance(Time{60'000});
        CHECK(rig.engine.published()->gangs.size() == 0);
        CHECK(count_of(rig.writes, "forget") == (has_echelon ? 0 : 1));
    }
}

TEST_CASE("a group without pods keeps the GangPlan of the echelon that had its last pods") {
    Rig rig;
    rig.fabric(1, 1, 2);
    rig.step(Observed{of_schedulers({"other-scheduler"})});
    show_group_without_pods(rig);
    rig.synced();
    rig.advance(Time{60'000});
    CHECK(rig.engine.published()->gangs.size() == 1);
    CHECK(count_of(rig.writes, "record") == 0);
}

TEST_CASE("an echelon without profiles writes no GangPlan") {
    auto options = Rig::default_options();
    options.profiles.clear();
    Rig rig(options);
    rig.fabric(1, 1, 2);
    show_group_without_pods(rig);
    rig.synced();
    rig.advance(Time{60'000});
    CHECK(count_of(rig.writes, "record") == 0);
}

TEST_CASE("a GangPlan of a profile that was removed is deleted, also if that fails at first and the watch lags") {
    Rig rig;
    train_is_held(rig);
    const auto record = *rig.record("train");
    int deletions = 0;
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::DeletePlan>(write) || deletions++ > 0)
            return std::nullopt;
        return model::Outcome{model::Outcome::Kind::unknown, "the API server is away", "", ""};
    };
    Reconfigured changed;
    changed.profiles["other"] = {};
    rig.step(changed);
    rig.step(Observed{model::PlanSeen{record, "plan-1"}});
    rig.advance(Time{5000});
    CHECK(deletions == 2);
    CHECK(rig.record("train") == nullptr);
}

TEST_CASE("a member of a commit that no profile lists any more is bound to its seat alone (I6)") {
    Rig rig;
    rig.fabric(1, 1, 2);
    auto seen = of_schedulers({"other-scheduler"});
    seen.record.seats = {{"b/x0", "uid-x0", "b0-r0-h00", false, false}};
    rig.step(Observed{seen});
    rig.step(Observed{model::PodSeen{foreign_pod("x0")}});
    rig.synced();
    rig.step(Filtered{"uid-x0", Filtered::Answer::passed, 2, ""});
    const model::PodRef pod{"b", "x0", "uid-x0"};
    rig.step(BindCalled{901, pod, "b0-r0-h01"});
    rig.step(BindCalled{902, pod, "b0-r0-h00"});
    rig.settle();
    REQUIRE(rig.answer(901) != nullptr);
    CHECK(rig.answer(901)->error ==
          "echelon: gang b/other is committed to other nodes, and no profile lists schedulerName \"other-scheduler\"");
    REQUIRE(count_of(rig.writes, "bind") == 1);
}

}  // namespace
}  // namespace echelon::engine

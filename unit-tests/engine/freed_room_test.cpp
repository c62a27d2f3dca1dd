// Refused gangs learn of every way in which room becomes free, and nothing else plans gangs anew.

#include "unit-tests/engine/support/clearing_world.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::GangSpec;
using test::Rig;
using Kind = model::Outcome::Kind;

model::PodTerm term_of(model::PodTerm::Kind kind, const std::string& app, const std::string& key) {
    model::PodTerm term;
    term.kind = kind;
    term.key = key;
    term.labels = {{"app", model::Requirement::Operator::in, {app}}};
    term.namespaces = {"default"};
    return term;
}

// A gang of one pod that needs a whole host and has one term.
void gang_with_term(Rig& rig, const model::PodTerm& term) {
    rig.gang({"train", 1});
    rig.pods("train", 0, 1);
    rig.change_pod("train-0", [&](model::Pod& pod) { pod.terms = {term}; });
}

// A gang of one pod waits for all of the host n0.
void waits_for_host(Rig& rig) {
    rig.gang({"train", 1});
    rig.pods("train", 0, 1);
    rig.synced();
    rig.advance(Time{5000});
    REQUIRE(rig.filter("train-0").node.empty());
}

// A pod of no gang on n0, with the tolerations that Kubernetes gives to each pod.
void runs_on_n0(Rig& rig, const std::string& name, std::int64_t gpus) {
    rig.pod(name, "", false, gpus);
    rig.change_pod(name, [](model::Pod& pod) {
        pod.node = "n0";
        pod.pod_class.tolerations = {{"node.kubernetes.io/not-ready", true, "", model::TaintEffect::no_execute}};
    });
}

TEST_CASE("a new status of a plain pod on the node of a seat plans nothing anew") {
    Rig rig;
    rig.node("n0", "b", "r", 8);
    runs_on_n0(rig, "daemon", 0);
    rig.gang({"train", 1});
    rig.pods("train", 0, 1);
    rig.synced();
    rig.advance(Time{1000});
    REQUIRE(rig.filter("train-0").node == "n0");
    const auto solves = rig.engine.published()->stats.solves_placed;
    rig.change_pod("daemon", [](model::Pod& pod) { pod.started = 5; });
    rig.advance(Time{1000});
    CHECK(rig.engine.published()->stats.solves_placed == solves);
    rig.change_pod("daemon", [](model::Pod& pod) { pod.pod_class.requests.set("cpu", 1); });
    rig.advance(Time{1000});
    CHECK(rig.engine.published()->stats.solves_placed > solves);
}

TEST_CASE("a gang is placed once the pod comes that its affinity needs (D14)") {
    for (const bool is_bound_by_echelon : {false, true}) {
        CAPTURE(is_bound_by_echelon);
        Rig rig;
        rig.fabric(1, 2, 2);
        gang_with_term(rig, term_of(model::PodTerm::Kind::together, "cache", test::rack_key));
        rig.synced();
        rig.advance(Time{5000});
        REQUIRE(rig.filter("train-0").node.empty());
        rig.pod("cache", "", false, 0);
        rig.label_pod("cache", {{"app", "cache"}});
        rig.advance(Time{5000});
        REQUIRE(rig.filter("train-0").node.empty());
        if (is_bound_by_echelon) {
            REQUIRE(rig.filter("cache").passed);
            rig.bind("cache", "b0-r1-h00");
        } else {
            rig.change_pod("cache", [](model::Pod& pod) { pod.node = "b0-r1-h00"; });
        }
        rig.advance(Time{2000});
        CHECK(rig.filter("train-0").node.starts_with("b0-r1-"));
    }
}

TEST_CASE(
    "a gang is placed once the binding of a pod that has gone is known to have failed, or to have succeeded (I7)") {
    for (const auto outcome : {Kind::gone, Kind::done}) {
        CAPTURE(static_cast<int>(outcome));
        Rig rig;
        rig.node("n0", "b", "r", 8);
        rig.gang({"first", 1});
        rig.pods("first", 0, 1);
        rig.synced();
        rig.advance(Time{1000});
        rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::BindPod>(write); };
        rig.arrive("first", 0, 1);
        rig.settle();
        rig.remove_gang("first");
        rig.remove_pod("first-0");
        waits_for_host(rig);
        rig.fate = [outcome](const model::Write& write) -> std::optional<model::Outcome> {
            if (!std::holds_alternative<model::BindPod>(write))
                return std::nullopt;
            return model::Outcome{outcome, "", "", ""};
        };
        rig.is_late = nullptr;
        rig.advance(Time{2000});
        CHECK(rig.filter("train-0").node == "n0");
    }
}

TEST_CASE("a gang is placed once a binding that was accepted turns out to be of a pod that has gone (I7)") {
    Rig rig;
    rig.node("n0", "b", "r", 8);
    rig.gang({"first", 1});
    rig.pods("first", 0, 1);
    rig.synced();
    rig.advance(Time{1000});
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::BindPod>(write))
            return std::nullopt;
        return model::Outcome{Kind::done, "", "", ""};  // The watch doesn't show it.
    };
    rig.arrive("first", 0, 1);
    rig.settle();
    rig.remove_gang("first");
    rig.remove_pod("first-0");
    rig.gang({"train", 1});
    rig.pods("train", 0, 1);
    rig.advance(Time{2000});
    CHECK(rig.filter("train-0").node == "n0");
}

TEST_CASE("a gang is placed once a running pod needs less") {
    Rig rig;
    rig.node("n0", "b", "r", 8);
    runs_on_n0(rig, "plain", 4);
    waits_for_host(rig);
    rig.change_pod("plain", [](model::Pod& pod) { pod.pod_class.requests.set(test::gpu, 0); });
    rig.advance(Time{2000});
    CHECK(rig.filter("train-0").node == "n0");
}

TEST_CASE("a gang is placed once a preemptor goes elsewhere than to the room that was kept for it (PR5)") {
    Rig rig;
    rig.node("n0", "b", "r", 8);
    rig.node("n1", "b", "r", 4);
    rig.pod("preemptor", "", false, 4);
    rig.change_pod("preemptor", [](model::Pod& pod) {
        pod.priority = 100;
        pod.nominated_node = "n0";
    });
    waits_for_host(rig);
    rig.change_pod("preemptor", [](model::Pod& pod) { pod.node = "n1"; });
    rig.advance(Time{2000});
    CHECK(rig.filter("train-0").node == "n0");
}

TEST_CASE("a gang is placed once the pod that it keeps apart from is relabelled (D14)") {
    Rig rig;
    rig.node("n0", "b", "r", 8);
    runs_on_n0(rig, "web", 0);
    rig.label_pod("web", {{"app", "web"}});
    rig.change_pod("web", [](model::Pod& pod) { pod.started = 1; });
    gang_with_term(rig, term_of(model::PodTerm::Kind::apart, "web", "kubernetes.io/hostname"));
    rig.synced();
    rig.advance(Time{5000});
    REQUIRE(rig.filter("train-0").node.empty());
    rig.label_pod("web", {{"app", "other"}});
    rig.change_pod("web", [](model::Pod& pod) { pod.started = 2; });
    rig.advance(Time{2000});
    CHECK(rig.filter("train-0").node == "n0");
}

TEST_CASE("a gang moves from the rack where echelon binds a plain pod that it keeps apart from (D14)") {
    Rig rig;
    rig.fabric(1, 2, 2);
    gang_with_term(rig, term_of(model::PodTerm::Kind::apart, "web", test::rack_key));
    rig.synced();
    rig.advance(Time{1000});
    const auto seat = rig.filter("train-0").node;
    REQUIRE(!seat.empty());
    const auto rack = seat.substr(0, seat.rfind('h'));
    rig.pod("web", "", false, 0);
    rig.label_pod("web", {{"app", "web"}});
    REQUIRE(rig.filter("web").passed);
    rig.bind("web", rack + (seat.ends_with("h00") ? "h01" : "h00"));
    rig.advance(Time{2000});
    REQUIRE(rig.bound().contains("web"));
    CHECK(!rig.filter("train-0").node.empty());
    CHECK(!rig.filter("train-0").node.starts_with(rack));
}

// "lws" has its leader bound, and holds three of the hosts n0 to n4 for late members. Each late member tolerates
// maintenance, and so "train" does, which needs half of one of these hosts. Returns that host.
std::string waits_for_late_member(Rig& rig) {
    for (int i = 0; i < 5; ++i)
        rig.node(fmt::format("n{}", i), "b", "r", 8);
    for (const char* node : {"n1", "n2", "n3"})
        rig.change_node(node, [](model::Node& changed) {
            changed.taints = {{"maintenance", "", model::TaintEffect::no_schedule}};
        });
    rig.gang({"lws", 4, {}, {}, 1});
    rig.pods("lws", 0, 1);
    rig.change_gang("lws", [&](model::Group& group) {
        group.expected = 4;
        group.start_set = 1;
        auto late = rig.pod_of("lws-0").pod_class;
        late.tolerations = {{"maintenance", true, "", model::TaintEffect::no_schedule}};
        group.late_pod_class = late;
    });
    rig.synced();
    rig.live(3);
    REQUIRE(rig.bound().size() == 1);
    const auto seats = rig.engine.held_seats();
    REQUIRE(seats.size() == 3);
    const auto seat =
        std::ranges::find_if(seats, [](const HeldSeat& each) { return each.node != "n0" && each.node != "n4"; });
    REQUIRE(seat != seats.end());
    rig.gang({"train", 1, {}, {}, 2});
    rig.pod("train-0", "train", true, 4);
    rig.change_pod("train-0", [&](model::Pod& pod) {
        pod.pod_class.node_selector = {{"kubernetes.io/hostname", seat->node}};
        pod.pod_class.tolerations = {{"maintenance", true, "", model::TaintEffect::no_schedule}};
    });
    rig.advance(Time{20'000});
    REQUIRE(rig.filter("train-0").node.empty());
    return seat->node;
}

TEST_CASE("a gang is placed once the seat of a late member moves to another node (H4)") {
    Rig rig;
    const auto node = waits_for_late_member(rig);
    rig.node("n5", "b", "r", 8);
    rig.node("n6", "b", "r", 8);
    rig.advance(Time{20'000});
    REQUIRE(rig.filter("train-0").node.empty());
    rig.change_gang("lws", [&](model::Group& group) { group.late_pod_class = rig.pod_of("lws-0").pod_class; });
    rig.advance(Time{5000});
    CHECK(rig.engine.held_seats().size() == 4);
    CHECK(rig.filter("train-0").node == node);
}

TEST_CASE("a gang is placed once a late member needs less (H4)") {
    Rig rig;
    const auto node = waits_for_late_member(rig);
    rig.change_gang("lws", [](model::Group& group) {
        auto late = *group.late_pod_class;
        late.requests.set(test::gpu, 4);
        group.late_pod_class = late;
    });
    rig.advance(Time{5000});
    CHECK(rig.engine.held_seats().size() == 4);
    CHECK(rig.filter("train-0").node == node);
}

TEST_CASE("a gang is placed once another pod drives the seat of a late member from its node (I2)") {
    Rig rig;
    const auto node = waits_for_late_member(rig);
    rig.pod("elsewhere", "", false, 4);
    rig.change_pod("elsewhere", [&](model::Pod& pod) {
        pod.scheduler_name = "another";
        pod.node = node;
    });
    rig.advance(Time{5000});
    CHECK(rig.filter("train-0").node == node);
}

TEST_CASE("a gang is placed once a group goes whose late members had seats (H5)") {
    Rig rig;
    for (int i = 0; i < 4; ++i)
        rig.node(fmt::format("n{}", i), "b", "r", 8);
    model::Group both;
    both.key = {"compositepodgroup", "default/both"};
    both.kind = model::GroupKind::composite;
    both.uid = "group-both";
    rig.add_group("both", both);
    for (const std::string name : {"first", "second"}) {
        rig.gang({name, 2});
        rig.change_gang(name, [&](model::Group& group) {
            group.parent = both.key;
            group.expected = 2;
            group.start_set = name == "first" ? 1 : 0;
        });
    }
    rig.pods("first", 0, 1);
    rig.synced();
    rig.live(3);
    REQUIRE(rig.bound().size() == 1);
    REQUIRE(rig.engine.held_seats().size() == 3);
    rig.gang({"train", 1, {}, 10, 2});
    rig.pods("train", 0, 1);
    rig.advance(Time{60'000});
    REQUIRE(rig.filter("train-0").node.empty());
    rig.remove_gang("second");
    rig.advance(Time{2000});
    CHECK(!rig.filter("train-0").node.empty());
}

}  // namespace
}  // namespace echelon::engine

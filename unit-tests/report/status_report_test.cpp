#include "report/status_report.hpp"

#include "model/cluster/cluster.hpp"
#include "report/snapshot_report.hpp"
#include "report/table.hpp"

#include <map>
#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace echelon;

namespace {

model::PlanRecord plan_of(const std::string& name, model::Phase phase, const std::string& reason = "",
                          const std::string& message = "") {
    model::PlanRecord plan;
    plan.ns = "team";
    plan.name = name;
    plan.root = {"podgroup", "team/" + name};
    plan.phase = phase;
    plan.reason = reason;
    plan.message = message;
    return plan;
}

engine::PublishedState published() {
    engine::PublishedState published;
    auto train = plan_of("train", model::Phase::bound);
    train.seats = {{"team/train-0", "u0", "n1", true}, {"team/train-1", "u1", "n0", false}};
    published.gangs.put("team/train", {train, 2, 0});
    published.gangs.put("team/x", {plan_of("x", model::Phase::pending, "NoRoom", "no rack has room"), 2, 0});
    published.stats.nodes = 4;
    published.stats.held_seats = 1;
    return published;
}

}  // namespace

TEST_CASE("columns are as wide as their widest cell, colours and long characters aside") {
    report::Table table({"A", "LONG HEAD", "LAST"});
    table.add({{"a-long-cell", "31"}, {"b"}, {"c"}});
    table.add({{"d\xc3\xa4"}, {"e"}, {""}});
    CHECK(table.text(false) ==
          "A             LONG HEAD   LAST\n"
          "a-long-cell   b           c\n"
          "d\xc3\xa4            e\n");
    CHECK(table.text(true).find("\033[31ma-long-cell\033[0m   b") != std::string::npos);
}

TEST_CASE("the status has a headline and a row for each gang") {
    const auto status = report::status_of(published(), true);
    CHECK(report::status_text(status, false) ==
          "leads, in step; 4 nodes, 0 pods, 0 groups; seats: 1 held, 0 committed; 0 waiting at the barrier\n"
          "\n"
          "NAMESPACE   GANG    PHASE     REASON   BOUND   MESSAGE\n"
          "team        train   Bound     -        1/2\n"
          "team        x       Pending   NoRoom   0/0     no rack has room\n");
    const auto json = nlohmann::json::parse(report::status_json(status));
    CHECK(json["kind"] == "GangStatusList");
    CHECK(json["items"][0]["bound"] == 1);
    CHECK(json["items"][1]["reason"] == "NoRoom");
    CHECK(report::status_text({}, false) == "no gangs\n");
    CHECK_FALSE(json.contains("unreadable"));
    report::Status odd;
    odd.unreadable = {"Node a: status.allocatable must be an object, not a list"};
    CHECK(report::status_text(odd, false) ==
          "unreadable: Node a: status.allocatable must be an object, not a list\n\nno gangs\n");
    CHECK(nlohmann::json::parse(report::status_json(odd))["unreadable"] == odd.unreadable);
    CHECK_FALSE(json.contains("notServed"));
    report::Status old;
    old.not_served = {"CompositePodGroups of scheduling.k8s.io are not served"};
    CHECK(report::status_text(old, false) ==
          "not served: CompositePodGroups of scheduling.k8s.io are not served\n\nno gangs\n");
    CHECK(nlohmann::json::parse(report::status_json(old))["notServed"] == old.not_served);
    auto late = published();
    late.unsynced = {"pods"};
    auto standby = report::status_of(late, false);
    CHECK(standby.headline.starts_with("is on standby, not listed yet: pods; "));
    CHECK(report::status_text(standby, false).find("as this standby last knew them; the leader knows better:\n") !=
          std::string::npos);
    standby.plans.clear();
    CHECK(report::status_text(standby, false).ends_with("\n\na standby lists no gangs: ask the leader\n"));
}

TEST_CASE("holds have a row each, with what they take and when they end") {
    engine::HeldSeat seat{.pod = "team/train-0", .gang = "team/train", .node = "n1", .state = "held"};
    seat.requests = {{"cpu", 1500}, {"nvidia.com/gpu", 8}, {"pods", 1}};
    seat.ends_in = std::chrono::milliseconds(1001);
    engine::HeldSeat plain{.pod = "team/single", .gang = "", .node = "n2", .state = "binding"};
    CHECK(report::holds_text({seat, plain}, false) ==
          "NODE   POD            GANG         STATE     ENDS IN   REQUESTS\n"
          "n1     team/train-0   team/train   held      2s        nvidia.com/gpu 8, cpu 1500m\n"
          "n2     team/single    -            binding   -\n");
    CHECK(report::holds_text({}, false) == "nothing is held\n");
    const auto json = nlohmann::json::parse(report::holds_json({seat, plain}));
    CHECK(json["items"][0]["endsInMilliseconds"] == 1001);
    CHECK(json["items"][0]["requests"]["nvidia.com/gpu"] == 8);
    CHECK_FALSE(json["items"][1].contains("endsInMilliseconds"));
}

TEST_CASE("from outside the seats that aren't bound yet are what is held") {
    auto train = plan_of("train", model::Phase::held);
    train.seats = {{"team/train-1", "u1", "n1", false}, {"team/train-0", "u0", "n0", false}};
    auto run = plan_of("run", model::Phase::committed);
    run.seats = {{"team/run-0", "u2", "n2", true}, {"team/run-1", "u3", "n3", false}};
    const auto seats = report::seats_in({train, run});
    REQUIRE(seats.size() == 3);
    CHECK(seats[0].pod == "team/train-0");
    CHECK(seats[0].state == "held");
    CHECK(seats[2].pod == "team/run-1");
    CHECK(seats[2].state == "committed");
}

TEST_CASE("the summary for the log has a line for the whole, each watched kind and each gang") {
    kube::WatchStatus pods;
    pods.what = "pods";
    pods.trouble = "connection refused";
    const auto lines = report::summary_of(published(), true, {pods});
    REQUIRE(lines.size() == 4);
    CHECK(lines[0].sentence.starts_with("summary: leads, in step"));
    CHECK(lines[1].sentence == "summary: pods: 0 objects; connection refused");
    CHECK(lines[2].gang == "team/train");
    CHECK(lines[2].sentence == "summary: gang team/train: Bound, 1 of 2 seats bound");
    CHECK(lines[3].sentence == "summary: gang team/x: Pending NoRoom, 0 of 0 seats bound; no rack has room");
}

TEST_CASE("a snapshot shows what every node has, and what is left of it") {
    model::Cluster cluster({});
    model::Node node;
    node.name = "n0";
    node.labels = {{"example.com/rack", "r0"}};
    node.allocatable = {{"cpu", 8000}, {"example.com/gpu", 4}, {"pods", 10}};
    static_cast<void>(cluster.apply(model::NodeSeen{node}));
    model::Topology fabric;
    fabric.name = "fabric";
    fabric.levels = {"example.com/rack"};
    static_cast<void>(cluster.apply(model::TopologySeen{fabric}));
    model::Pod pod;
    pod.uid = pod.name = "p";
    pod.ns = "team";
    pod.node = "n0";
    pod.pod_class.requests = {{"example.com/gpu", 3}, {"pods", 1}};
    static_cast<void>(cluster.apply(model::PodSeen{pod}));
    const auto snapshot = cluster.snapshot();
    CHECK(report::snapshot_text(snapshot, false) ==
          "NODE   PLACE   USABLE   ROOM\n"
          "n0     r0/n0   yes      example.com/gpu 1 of 4\n");
    const auto json = nlohmann::json::parse(report::snapshot_json(snapshot));
    CHECK(json.at("kind") == "Snapshot");
    CHECK(json.at("trees").at(0).at("name") == "fabric");
    const auto& shown = json.at("nodes").at(0);
    CHECK(shown.at("places").at(0) == "r0/n0");
    CHECK(shown.at("capacity").at("example.com/gpu") == 4);
    CHECK(shown.at("room").at("example.com/gpu") == 1);
    CHECK(shown.at("room").at("cpu") == 8000);
}

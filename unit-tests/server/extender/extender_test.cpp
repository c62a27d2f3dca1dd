#include "server/extender/extender.hpp"

#include "server/extender/metric_families.hpp"
#include "unit-tests/server/edge.hpp"
#include "unit-tests/server/wire.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::server {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

std::string body_of(int port, std::string_view path, std::string_view body) {
    auto heard = ask(port, post(path, body));
    if (!heard)
        return "no answer";
    if (heard->status != 200)
        return fmt::format("status {}", heard->status);
    return heard->body;
}

std::optional<Heard> look(int port, std::string_view target) {
    return ask(port, fmt::format("GET {} HTTP/1.1\r\nHost: a\r\n\r\n", target));
}

engine::GangView view_of(const std::string& gang) {
    engine::GangView view;
    view.record.root = {"label-gang", gang};
    view.record.phase = model::Phase::held;
    view.record.message = "bad byte \xff";
    view.record.seats = {{"default/train-0", "u1", "n2", true}};
    view.record.groups = {{gang, 1, 1, "b0/r1"}};
    view.members = 1;
    return view;
}

}  // namespace

TEST_CASE("the golden requests get the golden answers over the wire") {
    Edge edge;
    constexpr auto uid = "5f3c0d1e-7a52-4c0e-9d55-0a1f6b7c2d01";
    constexpr auto request =
        R"({"Pod":{"metadata":{"name":"train-0","namespace":"default","uid":"5f3c0d1e-7a52-4c0e-9d55-0a1f6b7c2d01","resourceVersion":"81234","creationTimestamp":"2026-09-01T08:00:00Z","labels":{"app":"train"}},"spec":{"containers":[{"name":"main","image":"example/train:1","resources":{"limits":{"nvidia.com/gpu":"8"},"requests":{"cpu":"32","memory":"256Gi","nvidia.com/gpu":"8"}}}],"schedulerName":"echelon-scheduler","priority":1000,"preemptionPolicy":"Never"},"status":{"phase":"Pending","qosClass":"Burstable"}},"Nodes":null,"NodeNames":["n1","n2","n3"]})";
    edge.backend.show(published_with({{uid, pinned("n2")}}));
    CHECK(body_of(edge.extender(), "/v1/filter", request) == R"({"NodeNames":["n2"],"Error":""})");
    edge.backend.show(published_with({}));
    CHECK(body_of(edge.extender(), "/v1/filter", request) == R"({"NodeNames":["n1","n2","n3"],"Error":""})");
    edge.backend.show(published_with({{uid, refused("echelon: gang default/train: waiting for members")}}));
    CHECK(
        body_of(edge.extender(), "/v1/filter", request) ==
        R"({"NodeNames":[],"FailedAndUnresolvableNodes":{"n1":"echelon: gang default/train: waiting for members"},"Error":""})");
    auto unsynced = published_with({});
    unsynced->unsynced = {"pods"};
    edge.backend.show(unsynced);
    CHECK(body_of(edge.extender(), "/v1/filter", request) == R"({"Error":"echelon: cache not synced: pods"})");
    CHECK(body_of(edge.extender(), "/v1/prioritize", request) == "[]");
}

TEST_CASE("every framed POST gets status 200 in its verb's shape") {
    Edge edge;
    const std::string bodies[] = {
        "",
        "garbage",
        "null",
        "{}",
        "[1]",
        "{\"Pod\":3}",
        "\xff\xfe\xfd",
        R"({"PodName":1,"PodNamespace":"a","PodUID":"b","Node":"c"})",
        R"({"PodName":"a","PodNamespace":"b","PodUID":"","Node":"c"})",
        R"({"PodName":"a","PodNamespace":"b","Node":"c"})",
        R"({"PodName":")" + std::string(254, 'a') + R"(","PodNamespace":"b","PodUID":"u","Node":"c"})",
        std::string(100'000, '['),
        std::string(4 * 1024 * 1024, '{')};
    for (const auto& body : bodies) {
        CAPTURE(body.substr(0, 60));
        for (auto [port, path] : {std::pair{edge.extender(), "/v1/filter"}, {edge.bind(), "/v1/bind"}}) {
            auto answer = nlohmann::json::parse(body_of(port, path, body));
            REQUIRE(answer.size() == 1);
            CHECK(answer.at("Error").get<std::string>().starts_with("echelon: "));
        }
        CHECK(body_of(edge.extender(), "/v1/prioritize", body) == "[]");
        CHECK(body_of(edge.extender(), "/v1/preempt", body) == R"({"NodeNameToMetaVictims":{}})");
    }
    CHECK(edge.backend.calls().empty());
}

TEST_CASE("other paths are not found, other methods not allowed, and the connection stays") {
    Edge edge;
    Wire wire(edge.extender());
    wire.send(post("/v1/bind", "{}") + "GET /v1/filter HTTP/1.1\r\n\r\n" + post("/v1/prioritize", "{}"));
    CHECK(wire.hear()->status == 404);
    auto wrong = wire.hear();
    CHECK(wrong->status == 405);
    CHECK(wrong->headers.at("allow") == "POST");
    CHECK(wire.hear()->status == 200);
    CHECK(ask(edge.bind(), post("/v1/filter", "{}"))->status == 404);
    CHECK(look(edge.bind(), "/metrics")->status == 404);
    CHECK(ask(edge.admin(), post("/metrics", ""))->status == 405);
    CHECK(look(edge.admin(), "/v1/filter")->status == 404);
}

TEST_CASE("a bind call waits for the engine's answer") {
    Edge edge;
    Wire bound(edge.bind());
    Wire unbound(edge.bind());
    bound.send(post("/v1/bind", bind_args("u1", "n2")));
    REQUIRE(edge.backend.await_calls(1));
    unbound.send(post("/v1/bind", R"({"podname":"train-1","podnamespace":"default","poduid":"u2","node":"n3"})"));
    REQUIRE(edge.backend.await_calls(2));
    auto calls = edge.backend.calls();
    CHECK(edge.backend.await([](const auto& told) {
        const auto& call = std::get<engine::BindCalled>(told.at(1));
        return call.pod == model::PodRef{"default", "train-1", "u2"} && call.node == "n3";
    }));
    edge.server->answer({.call = calls.at(1),
                         .result = engine::BindResult::rejected,
                         .error = "echelon: gang default/train: aborted, domain b0/r1 lost a node"});
    edge.server->answer({.call = calls.at(0), .result = engine::BindResult::ok, .error = ""});
    edge.server->answer({.call = 4711, .result = engine::BindResult::ok, .error = ""});
    CHECK(bound.hear()->body == R"({"Error":""})");
    CHECK(unbound.hear()->body == R"({"Error":"echelon: gang default/train: aborted, domain b0/r1 lost a node"})");
    // The connection serves the next call.
    bound.send(post("/v1/bind", bind_args("u3", "n2")));
    REQUIRE(edge.backend.await_calls(3));
    edge.server->answer({.call = edge.backend.calls().at(2), .result = engine::BindResult::ok, .error = ""});
    CHECK(bound.hear()->body == R"({"Error":""})");
}

TEST_CASE("a bind caller that hangs up is noticed once, and its answer is dropped") {
    Edge edge;
    Wire wire(edge.bind());
    wire.send(post("/v1/bind", bind_args("u1", "n2")));
    REQUIRE(edge.backend.await_calls(1));
    wire.hang_up();
    REQUIRE(edge.backend.await_gone(1));
    edge.server->answer({.call = edge.backend.calls().at(0), .result = engine::BindResult::ok, .error = ""});
    CHECK(edge.backend.gone() == 1);
    CHECK(look(edge.admin(), "/metrics")
              ->body.find(R"(echelon_extender_requests_total{result="client_gone",verb="bind"} 1)") !=
          std::string::npos);
}

TEST_CASE("before sync and while draining bind fails at once") {
    Edge edge;
    auto published = published_with({});
    published->unsynced = {"pods"};
    edge.backend.show(published);
    CHECK(body_of(edge.bind(), "/v1/bind", bind_args("u1", "n2")) == R"({"Error":"echelon: cache not synced: pods"})");
    published = published_with({});
    published->draining = true;
    edge.backend.show(published);
    CHECK(body_of(edge.bind(), "/v1/bind", bind_args("u1", "n2")) == R"({"Error":"echelon: shutting down"})");
    CHECK(edge.backend.calls().empty());
}

TEST_CASE("512 binds wait at once while filter answers, then all are answered") {
    Edge edge;
    constexpr std::size_t count = 512;
    std::vector<Wire> binders;
    for (std::size_t at = 0; at < count; ++at) {
        binders.emplace_back(edge.bind());
        REQUIRE(binders.back().send(post("/v1/bind", bind_args(fmt::format("u{}", at), "n1"))));
    }
    REQUIRE(edge.backend.await_calls(count));
    // None of them is answered yet, so no filter call may need anything of theirs.
    Wire scheduler(edge.extender());
    auto many = names(5000);
    for (int at = 0; at < 50; ++at) {
        scheduler.send(post("/v1/filter", filter_args("plain", many)));
        auto heard = scheduler.hear();
        REQUIRE(heard);
        CHECK(heard->body.size() == many.size() + 25);
    }
    auto metrics = look(edge.admin(), "/metrics")->body;
    CHECK(metrics.find(R"(echelon_extender_inflight_requests{verb="bind"} 512)") != std::string::npos);
    for (auto call : edge.backend.calls()) {
        edge.server->answer({.call = call, .result = engine::BindResult::ok, .error = ""});
    }
    std::size_t answered = 0;
    for (auto& binder : binders)
        answered += binder.hear()->body == R"({"Error":""})" ? 1U : 0U;
    CHECK(answered == count);
    CHECK(edge.backend.gone() == 0);
}

TEST_CASE("the server ends with binds waiting, half requests and idle connections") {
    auto edge = std::make_unique<Edge>();
    std::vector<Wire> wires;
    for (int at = 0; at < 64; ++at) {
        wires.emplace_back(edge->bind());
        wires.back().send(post("/v1/bind", bind_args(fmt::format("u{}", at), "n1")));
        wires.emplace_back(edge->extender());
        if (at % 2 == 0)
            wires.back().send("POST /v1/filter HTTP/1.1\r\nContent-Length: 100\r\n\r\nhalf");
    }
    REQUIRE(edge->backend.await_calls(64));
    edge->server.reset();
    for (auto& wire : wires)
        CHECK(wire.ends());
    CHECK(edge->backend.gone() == 0);
}

TEST_CASE("readiness names every check in trouble") {
    Edge edge;
    auto ready = look(edge.admin(), "/readyz");
    CHECK(ready->status == 200);
    CHECK(ready->body == "ok\n");
    CHECK(look(edge.admin(), "/readyz?verbose=1")->body == "[+]listeners: ok\n[+]sync: ok\n[+]drain: ok\nok\n");
    CHECK(look(edge.admin(), "/livez")->status == 200);
    auto published = published_with({});
    published->unsynced = {"pods", "nodes"};
    published->draining = true;
    edge.backend.show(published);
    CHECK(look(edge.admin(), "/startupz")->status == 503);
    ready = look(edge.admin(), "/readyz");
    CHECK(ready->status == 503);
    CHECK(ready->body == "[-]sync: not listed yet: pods, nodes\n[-]drain: shutting down\n");
    CHECK(look(edge.admin(), "/livez")->status == 200);
    edge.backend.show(published_with({}));
    CHECK(look(edge.admin(), "/startupz")->status == 200);
    edge.backend.show(published);
    CHECK(look(edge.admin(), "/startupz")->status == 200);
}

TEST_CASE("checks of the backend count as well") {
    Edge edge;
    edge.backend.trouble({{"leader", "another one leads"}});
    auto ready = look(edge.admin(), "/readyz");
    CHECK(ready->status == 503);
    CHECK(ready->body == "[-]leader: another one leads\n");
}

TEST_CASE("a note on a passing check is shown only in the verbose answer") {
    Edge edge;
    edge.backend.trouble({{"jobsets", "", "not served"}});
    const auto ready = look(edge.admin(), "/readyz?verbose=1");
    CHECK(ready->status == 200);
    CHECK(ready->body == "[+]listeners: ok\n[+]sync: ok\n[+]drain: ok\n[+]jobsets: not served\nok\n");
}

TEST_CASE("metrics cover calls, the published state and what other parts add") {
    Edge edge;
    edge.backend.add_metrics({counter_family("echelon_watch_events_total", {{{}, 7}})});
    auto published = published_with({{"u1", pinned("n9")}});
    published->stats.gangs_by_phase[2] = 3;
    auto topology_counts = std::make_shared<engine::TopologyCounts>();
    topology_counts->unplaced[{model::Reason::no_room, "rack"}] = 2;
    published->topology_counts = topology_counts;
    published->stats.barrier_waiting = 5;
    edge.backend.show(published);
    body_of(edge.extender(), "/v1/filter", filter_args("u1", R"(["n1"])"));
    body_of(edge.extender(), "/v1/filter", "garbage");
    auto heard = look(edge.admin(), "/metrics");
    CHECK(heard->headers.at("content-type").starts_with("text/plain; version=0.0.4"));
    for (const char* line :
         {R"(echelon_extender_requests_total{result="rejected",verb="filter"} 1)",
          R"(echelon_extender_requests_total{result="bad_request",verb="filter"} 1)",
          R"(echelon_extender_request_duration_seconds_count{verb="filter"} 2)",
          R"(echelon_extender_request_duration_seconds_bucket{verb="filter",le="0.0001"})",
          R"(echelon_extender_inflight_requests{verb="bind"} 0)", R"(echelon_gangs{phase="Held"} 3)",
          R"(echelon_unplaced_gangs{reason="NoRoom",level="rack"} 2)", "echelon_barrier_waiting_pods 5",
          "echelon_http_connections ", R"(echelon_http_connections_rejected_total{reason="framing"} 0)",
          "echelon_build_info{version=", "process_resident_memory_bytes ", "process_open_fds ",
          "process_start_time_seconds ", "process_cpu_seconds_total ", "echelon_watch_events_total 7"}) {
        CAPTURE(line);
        CHECK(heard->body.find(line) != std::string::npos);
    }
}

TEST_CASE("explain and debug show gangs to loopback peers") {
    Edge edge;
    auto published = published_with({});
    published->gangs.put("default/train", view_of("default/train"));
    edge.backend.show(published);
    auto explained = nlohmann::json::parse(look(edge.admin(), "/v1/explain?gang=default%2Ftrain")->body);
    CHECK(explained.at("phase") == "Held");
    CHECK(explained.at("seats").at(0).at("node") == "n2");
    CHECK(explained.at("groups").at(0).at("domain") == "b0/r1");
    CHECK(look(edge.admin(), "/v1/explain?gang=default/other")->status == 404);
    CHECK(look(edge.admin(), "/v1/explain")->status == 400);
    auto state = nlohmann::json::parse(look(edge.admin(), "/debug/state")->body);
    CHECK(state.at("gangs").at(0).at("gang") == "default/train");
}

TEST_CASE("a refused gang is explained as a tree: as JSON, or as text on request") {
    Edge edge;
    auto published = published_with({});
    published->gangs.put("default/train", view_of("default/train"));
    edge.backend.show(published);
    Explained explained;
    explained.text = "why, in words\n";
    auto& group = explained.tree.groups.emplace_back();
    group.group = "default/train";
    group.status = model::ExplainedGroup::Status::culprit;
    group.sizes.push_back({{{"cpu", 500}}, 2, 1});
    auto& domain = group.domains.emplace_back();
    domain.path = "b0/r1";
    auto& holder = domain.blockers.emplace_back();
    holder.owner = "default/other";
    holder.room = 3;
    holder.names.push_back({"default/other-0\xff", 8});
    auto& cordoned = domain.blockers.emplace_back();
    cordoned.kind = model::Blocker::Kind::cordoned;
    edge.backend.explain(explained);

    auto json = nlohmann::json::parse(look(edge.admin(), "/v1/explain?gang=default/train")->body);
    CHECK(json.at("phase") == "Held");
    CHECK(edge.backend.explained_last() == std::pair{model::GroupKey{"label-gang", "default/train"}, false});
    const auto& row = json.at("explanation").at("groups").at(0);
    CHECK(row.at("status") == "culprit");
    CHECK(row.at("sizes").at(0).at("requests").at("cpu") == 500);
    const auto& blockers = row.at("domains").at(0).at("blockers");
    CHECK(blockers.at(0).at("kind") == "held");
    CHECK(blockers.at(0).at("gang") == "default/other");
    CHECK(blockers.at(0).at("room") == 3);
    CHECK(blockers.at(1).at("kind") == "cordoned");
    CHECK(!blockers.at(1).contains("gang"));

    auto text = ask(edge.admin(),
                    "GET /v1/explain?gang=default/train&colour=1 HTTP/1.1\r\nHost: a\r\nAccept: text/plain\r\n\r\n");
    CHECK(text->headers.at("content-type").starts_with("text/plain"));
    CHECK(text->body == "why, in words\n");
    CHECK(edge.backend.explained_last().second);
}

TEST_CASE("a missing explanation is answered with a sentence, at once or later") {
    Edge edge;
    auto published = published_with({});
    published->gangs.put("default/train", view_of("default/train"));
    edge.backend.show(published);
    for (const std::string sentence : {"busy", "the engine's thread doesn't answer"}) {
        edge.backend.explain(base::failure(sentence));
        auto heard = look(edge.admin(), "/v1/explain?gang=default/train");
        CHECK(heard->status == 503);
        CHECK(heard->body == sentence + "\n");
    }
}

TEST_CASE("a port that is taken stops the start with a sentence") {
    Edge edge;
    config::Settings settings;
    settings.extender = {"127.0.0.1", 0};
    settings.bind = {"127.0.0.1", edge.bind()};
    settings.admin = {"127.0.0.1", 0};
    auto second = Server::start(settings, edge.backend.as_backend());
    REQUIRE_FALSE(second);
    CHECK(second.error().sentence.starts_with(fmt::format("bind: address 127.0.0.1:{}: ", edge.bind())));
}

}  // namespace echelon::server

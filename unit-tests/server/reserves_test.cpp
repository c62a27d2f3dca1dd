// One caller can't take resources from others: memory of idle connections, connections of a peer, bodies, descriptors
// (BD5, BD5a).

#include "server/http/descriptors.hpp"
#include "server/http/http_port.hpp"
#include "server/http/port_shares.hpp"
#include "unit-tests/server/edge.hpp"
#include "unit-tests/server/wire.hpp"
#include "unit-tests/support/becomes_true.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

namespace echelon::server {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

// What is allocated just now, in all arenas. Sanitizers have a separate heap, which isn't counted.
std::size_t allocated_bytes() {
    const auto info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
}

std::unique_ptr<HttpPort> echo_port(const PortLimits& limits) {
    auto port = HttpPort::open(
        {.address = {"127.0.0.1", 0}, .limits = limits, .workers = 2},
        {.handle = [](const Request& request) { return Answer{.body = std::string(request.body)}; }, .gone = {}});
    REQUIRE(port);
    REQUIRE((*port)->start());
    return std::move(*port);
}

config::Settings with_webhook() {
    config::Settings settings;
    settings.webhook.emplace();
    return settings;
}

}  // namespace

TEST_CASE("an idle connection keeps at most 16 KiB, however large its requests and answers were (BD5)") {
    constexpr std::size_t callers = 300;
    const auto port = echo_port({});
    const std::string request = post("/", std::string(1'000'000, 'x'));
    std::vector<Wire> wires;
    for (std::size_t at = 0; at < callers; ++at)
        wires.emplace_back(port->port());
    REQUIRE(support::becomes_true([&] { return port->connections() == callers; }));
    const auto before = allocated_bytes();
    for (auto& wire : wires) {
        REQUIRE(wire.send(request));
        const auto heard = wire.hear();
        REQUIRE(heard);
        CHECK(heard->body.size() == 1'000'000);
    }
    CHECK(port->connections() == callers);
    // The last worker may not wait yet after its answer.
    CHECK(support::becomes_true([&] { return allocated_bytes() < before + callers * 16 * 1024; }));
}

TEST_CASE("one peer has 16 connections to the admin port, and others are served (BD5)") {
    const auto port = echo_port(admin_limits(port_shares({}, 20'000)));
    std::vector<Wire> wires;
    const std::string unfinished = post("/", "here");
    for (int at = 0; at < 16; ++at) {
        wires.emplace_back(port->port());
        REQUIRE(wires.back().send(std::string_view(unfinished).substr(0, unfinished.size() - 1)));
    }
    Wire surplus(port->port());
    surplus.send(post("/", "one too many"));
    const auto heard = surplus.hear();
    REQUIRE(heard);
    CHECK(heard->status == 503);
    CHECK(surplus.ends());
    Wire other(port->port(), 0, "127.0.0.2");
    other.send(post("/", "another"));
    CHECK(other.hear()->body == "another");
    wires.clear();
    CHECK(support::becomes_true([&] {
        const auto again = ask(port->port(), post("/", "again"));
        return again && again->body == "again";
    }));
}

TEST_CASE("a peer at its limit gets a new connection for the one that is idle longest (BD5)") {
    const auto port = echo_port(admin_limits(port_shares({}, 20'000)));
    Wire other(port->port(), 0, "127.0.0.2");  // Idle for longer, but of another peer.
    other.send(post("/", "other"));
    REQUIRE(other.hear());
    std::vector<Wire> wires;
    for (int at = 0; at < 48; ++at) {
        wires.emplace_back(port->port());
        REQUIRE(wires.back().send(post("/", "here")));
        const auto heard = wires.back().hear();
        REQUIRE(heard);
        CHECK(heard->status == 200);
    }
    // Which of two answered right after each other is idle for longer depends on the threads.
    std::size_t alive = 0;
    for (std::size_t at = 0; at < wires.size(); ++at) {
        const bool is_alive = wires[at].send(post("/", "still here")) && wires[at].hear();
        CHECK_FALSE((is_alive && at < 24));
        CHECK((is_alive || at < 40));
        alive += is_alive ? 1 : 0;
    }
    CHECK(alive == 16);
    CHECK(port->rejections()[static_cast<std::size_t>(Rejection::capacity)] == 0);
    other.send(post("/", "still here"));
    CHECK(other.hear()->body == "still here");
}

TEST_CASE("the admin port refuses a body above 64 KiB before it comes, but for topologies and manifests (BD5)") {
    Edge edge;
    const auto head = [](std::string_view line, std::size_t length, std::string_view more = "") {
        return fmt::format("{} HTTP/1.1\r\nHost: a\r\n{}Content-Length: {}\r\n\r\n", line, more, length);
    };
    constexpr std::string_view asks_first = "Expect: 100-continue\r\n";
    struct Row {
        std::string head;
        int status;
    };
    const std::vector<Row> rows = {
        {head("PUT /debug/loglevel", 65'537), 413},
        {head("PUT /debug/loglevel", 65'537, asks_first), 413},
        {head("PUT /debug/loglevel", 65'536, asks_first), 100},
        {head("PUT /v1/topology/fabric", 65'537, asks_first), 100},
        {head("PUT /v1/topology/fabric", 4UL << 20U, asks_first), 100},
        {head("PUT /v1/topology/fabric", (4UL << 20U) + 1, asks_first), 413},
        {head("POST /v1/topology/fabric", 65'537, asks_first), 413},
        {head("POST /v1/plan", 65'537, asks_first), 100},
        {head("POST /v1/plan?preempt=1", 4UL << 20U, asks_first), 100},
        {head("POST /v1/plan", (4UL << 20U) + 1, asks_first), 413},
        {head("POST /v1/plans", 65'537, asks_first), 413},
        {head("PUT /v1/plan", 65'537, asks_first), 413},
        {head("PUT /v1/topologies", 65'537, asks_first), 413},
        {head("PUT /x/v1/topology/fabric", 65'537, asks_first), 413},
        {head("PUT /v1/%74opology/fabric", 65'537, asks_first), 413},
        {"PUT /debug/loglevel HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411},
        {head("PUT /debug/loglevel", 99'999'999'999), 413},
    };
    for (const auto& row : rows) {
        CAPTURE(row.head);
        Wire wire(edge.admin());
        wire.send(row.head);
        const auto heard = wire.hear(row.status != 100);
        REQUIRE(heard);
        CHECK(heard->status == row.status);
        if (row.status != 100)
            CHECK(wire.ends());
    }
}

TEST_CASE("the webhook's callers have 64 MiB in all (BD5)") {
    const auto port = echo_port(webhook_limits(port_shares(with_webhook(), 20'000)));
    const std::string large = post("/", std::string(4'000'000, 'x'));
    const std::string small = post("/", std::string(16'000, 'x'));
    const auto before = allocated_bytes();
    std::vector<Wire> wires;
    int refused = 0;
    for (int at = 0; at < 40; ++at) {
        wires.emplace_back(port->port());
        // All but the last byte: the request is never whole. A refused one is answered before it was sent.
        wires.back().send(std::string_view(large).substr(0, large.size() - 1));
    }
    for (int at = 0; at < 400; ++at) {
        wires.emplace_back(port->port());
        wires.back().send(std::string_view(small).substr(0, small.size() - 1));
    }
    CHECK(support::becomes_true([&] {
        refused = static_cast<int>(port->rejections()[static_cast<std::size_t>(Rejection::memory)]);
        return refused == 34;
    }));
    CHECK(allocated_bytes() < before + (64UL << 20U));
    // Those that came first are still served.
    wires.front().send("x");
    const auto heard = wires.front().hear();
    REQUIRE(heard);
    CHECK(heard->body.size() == 4'000'000);
}

TEST_CASE("idle connections end on demand, and a call that waits gets its answer (BD6)") {
    Edge edge;
    Wire idle(edge.extender());
    REQUIRE(idle.send(post("/v1/filter", filter_args("u1", R"(["n1"])"))));
    REQUIRE(idle.hear());
    Wire silent(edge.bind());
    Wire waiting(edge.bind());
    REQUIRE(waiting.send(post("/v1/bind", bind_args("u1", "n1"))));
    REQUIRE(edge.backend.await_calls(1));
    edge.backend.lose_lead(true);
    edge.server->end_idle();
    CHECK(idle.ends());
    CHECK(silent.ends());
    edge.server->answer({.call = edge.backend.calls()[0], .result = engine::BindResult::rejected, .error = "no"});
    const auto heard = waiting.hear();
    REQUIRE(heard);
    CHECK(heard->body == R"({"Error":"no"})");
    CHECK(heard->headers.at("connection") == "close");
    CHECK(waiting.ends());
}

TEST_CASE("a former leader answers kube-scheduler with an Error and ends the connection (BD6)") {
    Edge edge;
    edge.backend.show(published_with({{"u1", pinned("n1")}}));
    struct Row {
        int port;
        std::string request;
        int status;
    };
    const std::vector<Row> rows = {
        {edge.extender(), post("/v1/filter", filter_args("u1", R"(["n1"])")), 200},
        {edge.extender(), post("/v1/filter", filter_args("plain", R"(["n1"])")), 200},
        {edge.extender(), post("/v1/prioritize", filter_args("u1", R"(["n1"])")), 503},
        {edge.bind(), post("/v1/bind", bind_args("u1", "n1")), 200},
        {edge.bind(), post("/v1/bind", bind_args("plain", "n1")), 200},
    };
    for (const auto& row : rows) {
        CAPTURE(row.request);
        edge.backend.lose_lead(false);
        Wire wire(row.port);
        // It was connected while we led.
        REQUIRE(support::becomes_true([&] { return wire.is_connected(); }));
        edge.backend.lose_lead(true);
        wire.send(row.request);
        const auto heard = wire.hear();
        REQUIRE(heard);
        CHECK(heard->status == row.status);
        CHECK(heard->body == R"({"Error":"echelon: this echelon no longer leads"})");
        CHECK(heard->headers.at("connection") == "close");
        CHECK(wire.ends());
    }
    CHECK(edge.backend.calls().empty());
    CHECK(edge.backend.filtered().empty());
}

TEST_CASE("1,100 members wait where the soft limit was 1,024, and filter, plain binds and probes are served (BD5)") {
    constexpr std::size_t members = 1'100;
    rlimit limit{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    if (limit.rlim_max < 8'192) {
        MESSAGE("skipped: the hard limit of this machine is below 8,192 descriptors");
        return;
    }
    const auto own = limit;
    limit.rlim_cur = 1'024;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    const auto raised = raise_descriptor_limit();
    CHECK(raised.found == 1'024);
    CHECK(raised.now == raised.hard);
    CHECK(descriptor_limit() == raised.hard);
    {
        Edge edge;
        std::vector<std::pair<std::string, engine::Verdict>> verdicts;
        for (std::size_t at = 0; at < members; ++at)
            verdicts.emplace_back(fmt::format("u{}", at), pinned("n1"));
        edge.backend.show(published_with(verdicts));
        std::vector<Wire> waiting;
        for (std::size_t at = 0; at < members; ++at) {
            waiting.emplace_back(edge.bind());
            REQUIRE(waiting.back().send(post("/v1/bind", bind_args(fmt::format("u{}", at), "n1"))));
        }
        REQUIRE(edge.backend.await_calls(members));
        CHECK(ask(edge.admin(), "GET /livez HTTP/1.1\r\n\r\n")->status == 200);
        CHECK(ask(edge.extender(), post("/v1/filter", filter_args("plain", R"(["n1"])")))->body ==
              R"({"NodeNames":["n1"],"Error":""})");
        Wire plain(edge.bind());
        plain.send(post("/v1/bind", bind_args("plain", "n1")));
        REQUIRE(edge.backend.await_calls(members + 1));
        edge.server->answer({.call = edge.backend.calls().back(), .result = engine::BindResult::ok, .error = ""});
        CHECK(plain.hear()->body == R"({"Error":""})");
    }
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &own) == 0);
}

}  // namespace echelon::server

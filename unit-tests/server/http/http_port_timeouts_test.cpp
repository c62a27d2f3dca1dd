// What happens to callers that are slow, silent or gone?

#include "unit-tests/server/http/echo_port.hpp"
#include "unit-tests/server/wire.hpp"
#include "unit-tests/support/becomes_true.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::server {
namespace {

using support::becomes_true;
using test::ask;
using test::EchoPort;
using test::post;
using test::rejected;
using test::Wire;

}  // namespace

TEST_CASE("a truncated request ends in silence") {
    EchoPort echo;
    Wire wire(echo.port->port());
    wire.send("POST / HTTP/1.1\r\nContent-Length: 50\r\n\r\nhalf");
    wire.finish();
    CHECK(wire.ends());
    CHECK(becomes_true([&] { return echo.port->connections() == 0; }));
}

TEST_CASE("slow senders and silent callers hold no worker") {
    EchoPort echo({}, 1);
    std::vector<Wire> slow;
    for (int at = 0; at < 200; ++at) {
        slow.emplace_back(echo.port->port());
        if (at % 2 == 0)
            slow.back().send("POST / HTTP/1.1\r\nContent-Le");
        if (at % 4 == 1)
            slow.back().send("POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\nstart");
    }
    // One worker in all: it would be gone if any of them held it.
    for (int at = 0; at < 50; ++at) {
        auto heard = ask(echo.port->port(), post("/", "honest"));
        REQUIRE(heard);
        CHECK(heard->body == "honest");
    }
}

TEST_CASE("slow receivers hold no worker") {
    EchoPort echo({}, 1);
    std::vector<Wire> slow;
    for (int at = 0; at < 4; ++at) {
        slow.emplace_back(echo.port->port(), 4096);
        slow.back().send("GET /large HTTP/1.1\r\n\r\n");
    }
    for (int at = 0; at < 20; ++at)
        REQUIRE(ask(echo.port->port(), post("/", "honest")));
    auto large = slow.front().hear();
    REQUIRE(large);
    CHECK(large->body.size() == EchoPort::large_bytes);
}

TEST_CASE("an unfinished header, an unfinished body and a silent caller are ended in time") {
    PortLimits limits;
    limits.header_time = std::chrono::milliseconds(50);
    limits.request_time = std::chrono::milliseconds(50);
    limits.idle_time = std::chrono::milliseconds(50);
    EchoPort echo(limits);
    for (const char* start : {"POST / HT", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc"}) {
        CAPTURE(start);
        Wire wire(echo.port->port());
        wire.send(start);
        auto heard = wire.hear();
        REQUIRE(heard);
        CHECK(heard->status == 408);
        CHECK(wire.ends());
    }
    Wire silent(echo.port->port());
    CHECK(silent.ends());
    Wire dripping(echo.port->port());
    bool taken = true;
    while (taken)
        taken = dripping.send("A");  // Endless, byte by byte: ends only because the server ends it.
    CHECK_FALSE(taken);
    CHECK(becomes_true([&] { return echo.port->connections() == 0; }));
}

TEST_CASE("an idle connection that has had its answers is ended, and counts as no caller that was turned away") {
    PortLimits limits;
    limits.idle_time = std::chrono::milliseconds(50);
    EchoPort echo(limits);
    Wire kept(echo.port->port());
    kept.send(post("/", "answered"));
    REQUIRE(kept.hear());
    CHECK(kept.ends());
    CHECK(becomes_true([&] { return echo.port->connections() == 0; }));
    CHECK(rejected(echo, Rejection::timeout) == 0);
    Wire silent(echo.port->port());
    CHECK(silent.ends());
    CHECK(becomes_true([&] { return rejected(echo, Rejection::timeout) == 1; }));
}

TEST_CASE("a receiver that never reads is ended in time") {
    PortLimits limits;
    limits.request_time = std::chrono::milliseconds(50);
    EchoPort echo(limits);
    Wire wire(echo.port->port(), 4096);
    wire.send("GET /large HTTP/1.1\r\n\r\n");
    CHECK(becomes_true([&] { return rejected(echo, Rejection::timeout) == 1 && echo.port->connections() == 0; }));
}

TEST_CASE("an answer may come later, and a caller that hangs up meanwhile is noticed") {
    EchoPort echo;
    Wire patient(echo.port->port());
    Wire leaving(echo.port->port());
    patient.send(post("/wait", "") + post("/", "behind the waiting one"));
    REQUIRE(echo.await(echo.waiting, 1));
    auto ticket = echo.waiting.front();
    leaving.send(post("/wait", ""));
    REQUIRE(echo.await(echo.waiting, 2));
    leaving.hang_up();
    REQUIRE(echo.await(echo.gone, 1));
    CHECK(echo.gone.front() == echo.waiting.back());
    // The caller is gone, and requests other than the waiting one get no answer.
    echo.port->complete(echo.gone.front(), {.body = "too late"});
    echo.port->complete({ticket.connection, ticket.request + 1}, {.body = "wrong"});
    echo.port->complete(ticket, {.body = "at last"});
    echo.port->complete(ticket, {.body = "twice"});
    auto heard = patient.hear();
    REQUIRE(heard);
    CHECK(heard->body == "at last");
    heard = patient.hear();
    REQUIRE(heard);
    CHECK(heard->body == "behind the waiting one");
    CHECK(echo.gone.size() == 1);
}

}  // namespace echelon::server

// How much does a port take: bodies, connections and descriptors?

#include "unit-tests/server/http/echo_port.hpp"
#include "unit-tests/server/wire.hpp"
#include "unit-tests/support/becomes_true.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace echelon::server {
namespace {

using support::becomes_true;
using test::ask;
using test::EchoPort;
using test::post;
using test::rejected;
using test::Wire;

}  // namespace

TEST_CASE("a body of 10 MB is refused before it is taken, and the caller can read why") {
    EchoPort echo;
    Wire wire(echo.port->port());
    wire.send(post("/", std::string(10 * 1024 * 1024, 'x')));
    auto heard = wire.hear();
    REQUIRE(heard);
    CHECK(heard->status == 413);
    CHECK(wire.ends());
}

TEST_CASE("the largest body is taken") {
    EchoPort echo;
    std::string body(4 * 1024 * 1024, 'x');
    auto heard = ask(echo.port->port(), post("/", body));
    REQUIRE(heard);
    CHECK(heard->status == 200);
    CHECK(heard->body.size() == body.size());
}

TEST_CASE("large bodies have a common limit, and what was claimed is given back") {
    PortLimits limits;
    limits.bodies_bytes = 300'000;
    EchoPort echo(limits);
    std::string body(200'000, 'x');
    Wire slow(echo.port->port());
    auto request = post("/", body);
    slow.send(std::string_view(request).substr(0, 100'000));
    REQUIRE(becomes_true([&] { return ask(echo.port->port(), post("/", body))->status == 503; }));
    slow.send(std::string_view(request).substr(100'000));
    REQUIRE(slow.hear());
    CHECK(becomes_true([&] { return ask(echo.port->port(), post("/", body))->status == 200; }));
    CHECK(rejected(echo, Rejection::memory) >= 1);
}

TEST_CASE("connections beyond the limit get an error, and there is room again afterwards") {
    PortLimits limits;
    limits.connections = 8;
    EchoPort echo(limits);
    std::vector<Wire> present;
    for (int at = 0; at < 8; ++at) {
        present.emplace_back(echo.port->port());
        present.back().send(post("/wait", "here"));
    }
    REQUIRE(echo.await(echo.waiting, 8));
    Wire surplus(echo.port->port());
    surplus.send(post("/", "one too many"));
    auto heard = surplus.hear();
    REQUIRE(heard);
    CHECK(heard->status == 503);
    CHECK(surplus.ends());
    CHECK(rejected(echo, Rejection::capacity) == 1);
    present.clear();
    CHECK(becomes_true([&] { return ask(echo.port->port(), post("/", "now"))->status == 200; }));
}

TEST_CASE("where all connections are taken, a new one takes the place of the one that is idle longest (BD5)") {
    PortLimits limits;
    limits.connections = 4;
    EchoPort echo(limits, 1);  // One worker: an answered connection is idle before the next one is served.
    Wire silent(echo.port->port());
    Wire waiting(echo.port->port());
    waiting.send(post("/wait", "here"));
    REQUIRE(echo.await(echo.waiting, 1));
    Wire first(echo.port->port());
    first.send(post("/", "first"));
    REQUIRE(first.hear());
    Wire second(echo.port->port());
    second.send(post("/", "second"));
    REQUIRE(second.hear());
    Wire third(echo.port->port());
    third.send(post("/wait", "third"));
    CHECK(first.ends());
    Wire fourth(echo.port->port());
    fourth.send(post("/wait", "fourth"));
    CHECK(second.ends());
    REQUIRE(echo.await(echo.waiting, 3));
    CHECK(rejected(echo, Rejection::capacity) == 0);
    // Neither a connection without a request nor one whose answer is due makes room.
    const auto heard = ask(echo.port->port(), post("/", "one too many"));
    REQUIRE(heard);
    CHECK(heard->status == 503);
    silent.send(post("/", "late"));
    CHECK(silent.hear());
}

TEST_CASE("running out of descriptors is survived") {
    EchoPort echo;
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    std::vector<Wire> callers;
    for (int at = 0; at < 4; ++at)
        callers.emplace_back(echo.port->port());
    REQUIRE(becomes_true([&] { return echo.port->connections() == 4; }));
    // Fill up all descriptors but one, which the next caller takes: none is left to accept it.
    rlimit low = before;
    low.rlim_cur = 256;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
    std::vector<int> fillers;
    for (int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC); fd >= 0; fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) {
        fillers.push_back(fd);
    }
    REQUIRE_FALSE(fillers.empty());
    ::close(fillers.back());
    fillers.pop_back();
    Wire late(echo.port->port());
    REQUIRE(late.is_connected());
    late.send(post("/", "patience"));
    CHECK(becomes_true([&] { return rejected(echo, Rejection::descriptors) >= 1; }));
    callers.front().send(post("/", "still served"));
    auto served = callers.front().hear();
    REQUIRE(served);
    CHECK(served->body == "still served");
    for (int fd : fillers)
        ::close(fd);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    auto heard = late.hear();
    REQUIRE(heard);
    CHECK(heard->body == "patience");
    CHECK(echo.port->is_listening());
}

}  // namespace echelon::server

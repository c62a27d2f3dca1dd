#include "server/http/http_port.hpp"

#include "unit-tests/server/http/echo_port.hpp"
#include "unit-tests/server/wire.hpp"

#include <cstddef>
#include <iterator>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::server {
namespace {

using test::EchoPort;
using test::post;
using test::rejected;
using test::Wire;

}  // namespace

TEST_CASE("many requests follow each other on one connection") {
    EchoPort echo;
    Wire wire(echo.port->port());
    for (int at = 0; at < 300; ++at) {
        auto body = fmt::format("request {}", at);
        REQUIRE(wire.send(post("/", body)));
        auto heard = wire.hear();
        REQUIRE(heard);
        CHECK(heard->status == 200);
        CHECK(heard->body == body);
        CHECK(heard->headers.at("content-type") == "application/json; charset=utf-8");
        CHECK_FALSE(heard->headers.contains("connection"));
    }
}

TEST_CASE("pipelined requests are all answered, in their order") {
    EchoPort echo;
    Wire wire(echo.port->port());
    std::string all;
    for (int at = 0; at < 2000; ++at)
        all += post("/", fmt::format("body {}", at));
    std::jthread sender([&] { wire.send(all); });
    for (int at = 0; at < 2000; ++at) {
        auto heard = wire.hear();
        REQUIRE(heard);
        CHECK(heard->body == fmt::format("body {}", at));
    }
}

TEST_CASE("a request may come byte by byte") {
    EchoPort echo;
    Wire wire(echo.port->port());
    for (char byte : post("/", "slow but honest"))
        REQUIRE(wire.send({&byte, 1}));
    auto heard = wire.hear();
    REQUIRE(heard);
    CHECK(heard->body == "slow but honest");
}

TEST_CASE("request ids are the server's own and never repeat") {
    EchoPort echo;
    Wire wire(echo.port->port());
    wire.send(post("/", "a", "X-Request-Id: evil%0d%0aInjected: yes\r\n") + post("/", "b"));
    auto first = wire.hear();
    auto second = wire.hear();
    REQUIRE(first);
    REQUIRE(second);
    CHECK(first->headers.at("x-request-id").find("evil") == std::string::npos);
    CHECK(first->headers.at("x-request-id") != second->headers.at("x-request-id"));
    CHECK_FALSE(first->headers.contains("injected"));
}

TEST_CASE("a refused request is answered and its connection really ends") {
    EchoPort echo;
    struct Row {
        std::string request;
        int status;
    };
    const Row rows[] = {{"garbage\r\n\r\n", 400},
                        {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 411},
                        {"POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc", 411},
                        {"GET / HTTP/1.1\r\nRange: bytes=0-0,0-0\r\n\r\n", 416},
                        {"POST / HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", 415},
                        {"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", 400},
                        {"PATCH / HTTP/1.1\r\n\r\n", 405},
                        {"GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n", 414},
                        {"GET /%zz HTTP/1.1\r\n\r\n", 400},
                        {"GET / HTTP/1.1\r\nA: " + std::string(70'000, 'a') + "\r\n\r\n", 431}};
    for (const auto& row : rows) {
        CAPTURE(row.request.substr(0, 60));
        Wire wire(echo.port->port());
        // After bad framing nothing is a request, however valid it looks.
        wire.send(row.request + post("/", "smuggled"));
        auto heard = wire.hear();
        REQUIRE(heard);
        CHECK(heard->status == row.status);
        CHECK(heard->headers.at("connection") == "close");
        CHECK(wire.ends());
    }
    CHECK(rejected(echo, Rejection::framing) == std::size(rows));
}

TEST_CASE("a caller that waits for permission to send gets it, once") {
    EchoPort echo;
    Wire wire(echo.port->port());
    wire.send("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    auto permission = wire.hear(false);
    REQUIRE(permission);
    CHECK(permission->status == 100);
    wire.send("hello");
    auto heard = wire.hear();
    REQUIRE(heard);
    CHECK(heard->status == 200);
    CHECK(heard->body == "hello");
}

TEST_CASE("HEAD gets the length and no body") {
    EchoPort echo;
    Wire wire(echo.port->port());
    wire.send("HEAD /large HTTP/1.1\r\n\r\n" + post("/", "next"));
    auto head = wire.hear(false);
    REQUIRE(head);
    CHECK(head->headers.at("content-length") == std::to_string(EchoPort::large_bytes));
    auto next = wire.hear();
    REQUIRE(next);
    CHECK(next->body == "next");
}

TEST_CASE("a caller may ask for the end of the connection") {
    EchoPort echo;
    Wire wire(echo.port->port());
    wire.send(post("/", "last", "Connection: close\r\n"));
    auto heard = wire.hear();
    REQUIRE(heard);
    CHECK(heard->body == "last");
    CHECK(heard->headers.at("connection") == "close");
    CHECK(wire.ends());
}

TEST_CASE("a handler that throws costs one answer, not the server") {
    EchoPort echo;
    Wire wire(echo.port->port());
    wire.send(post("/throw", "") + post("/", "alive"));
    auto heard = wire.hear();
    REQUIRE(heard);
    CHECK(heard->status == 500);
    CHECK(wire.hear()->body == "alive");
}

TEST_CASE("an address that is taken is an error that names it") {
    EchoPort echo;
    auto second = HttpPort::open({.address = {"127.0.0.1", echo.port->port()}}, {});
    REQUIRE_FALSE(second);
    CHECK(second.error().sentence.starts_with(fmt::format("address 127.0.0.1:{}: ", echo.port->port())));
}

}  // namespace echelon::server

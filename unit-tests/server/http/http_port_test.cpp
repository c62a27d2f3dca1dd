#include "server/http/http_port.hpp"

#include "unit-tests/server/wire.hpp"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace echelon::server {
namespace {

using test::ask;
using test::post;
using test::Wire;

// Echoes bodies; /wait is answered later, /large with a megabyte.
struct EchoPort {
    explicit EchoPort(PortLimits limits = {}, unsigned workers = 2) {
        PortHandlers handlers{.handle = [this](const Request& request) { return handle(request); },
                              .gone = [this](const Ticket& ticket) { note(gone, ticket); }};
        auto opened = HttpPort::open({.address = {"127.0.0.1", 0}, .limits = limits, .workers = workers}, handlers);
        if (!opened)
            FAIL(opened.error().sentence);
        port = std::move(*opened);
        auto started = port->start();
        if (!started)
            FAIL(started.error().sentence);
    }

    std::optional<Answer> handle(const Request& request) {
        if (request.path == "/wait") {
            note(waiting, request.ticket);
            return std::nullopt;
        }
        if (request.path == "/large")
            return Answer{.body = std::string(large_bytes, 'x')};
        if (request.path == "/throw")
            throw std::runtime_error("a handler's trouble");
        return Answer{.body = std::string(request.body)};
    }

    void note(std::vector<Ticket>& list, const Ticket& ticket) {
        {
            std::lock_guard lock(mutex);
            list.push_back(ticket);
        }
        changed.notify_all();
    }

    // Waits until a list is that long.
    bool await(const std::vector<Ticket>& list, std::size_t count) {
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, std::chrono::seconds(20), [&] { return list.size() >= count; });
    }

    static constexpr std::size_t large_bytes = 8 * 1024 * 1024;
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Ticket> waiting;
    std::vector<Ticket> gone;
    std::unique_ptr<HttpPort> port;  // Last: its threads use the rest.
};

// Polls a condition that has no signal.
bool eventually(const std::function<bool()>& holds) {
    auto end = Clock::now() + std::chrono::seconds(20);
    while (!holds()) {
        if (Clock::now() > end)
            return false;
        std::this_thread::yield();
    }
    return true;
}

std::uint64_t rejected(const EchoPort& echo, Rejection rejection) {
    return echo.port->rejections()[static_cast<std::size_t>(rejection)];
}

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
    REQUIRE(eventually([&] { return ask(echo.port->port(), post("/", body))->status == 503; }));
    slow.send(std::string_view(request).substr(100'000));
    REQUIRE(slow.hear());
    CHECK(eventually([&] { return ask(echo.port->port(), post("/", body))->status == 200; }));
    CHECK(rejected(echo, Rejection::memory) >= 1);
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

TEST_CASE("a truncated request ends in silence") {
    EchoPort echo;
    Wire wire(echo.port->port());
    wire.send("POST / HTTP/1.1\r\nContent-Length: 50\r\n\r\nhalf");
    wire.finish();
    CHECK(wire.ends());
    CHECK(eventually([&] { return echo.port->connections() == 0; }));
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
    CHECK(eventually([&] { return echo.port->connections() == 0; }));
}

TEST_CASE("a receiver that never reads is ended in time") {
    PortLimits limits;
    limits.request_time = std::chrono::milliseconds(50);
    EchoPort echo(limits);
    Wire wire(echo.port->port(), 4096);
    wire.send("GET /large HTTP/1.1\r\n\r\n");
    CHECK(eventually([&] { return rejected(echo, Rejection::timeout) == 1 && echo.port->connections() == 0; }));
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
    CHECK(eventually([&] { return ask(echo.port->port(), post("/", "now"))->status == 200; }));
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

TEST_CASE("running out of descriptors is survived") {
    EchoPort echo;
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    std::vector<Wire> callers;
    for (int at = 0; at < 4; ++at)
        callers.emplace_back(echo.port->port());
    REQUIRE(eventually([&] { return echo.port->connections() == 4; }));
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
    CHECK(eventually([&] { return rejected(echo, Rejection::descriptors) >= 1; }));
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

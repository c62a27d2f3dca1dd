// Many hostile callers at once, beside an honest one (docs/faults.md maps each fault to its test).

#include "server/http/http_port.hpp"
#include "unit-tests/server/edge.hpp"
#include "unit-tests/server/wire.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace echelon::server {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

constexpr std::size_t storm = 4'000;

// Both ends of every connection are ours. False: this machine doesn't allow it.
bool has_descriptors(std::size_t count) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return false;
    if (limit.rlim_cur < count && limit.rlim_max >= count) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit.rlim_cur >= count;
}

std::size_t most_pending_connections() {
    std::size_t count = 0;
    std::ifstream("/proc/sys/net/core/somaxconn") >> count;
    return count;
}

std::size_t resident_bytes() {
    std::size_t all = 0;
    std::size_t resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Numbers that look random and are the same in every run.
class Dice {
public:
    std::size_t below(std::size_t end) {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return (state_ >> 33U) % end;
    }

private:
    std::uint64_t state_ = 42;
};

// Our own socket that listens on a port.
int listening_socket(int port) {
    for (int fd = 0; fd < 4096; ++fd) {
        int listens = 0;
        socklen_t size = sizeof listens;
        sockaddr_in at{};
        socklen_t length = sizeof at;
        if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0 &&
            ::getsockname(fd, reinterpret_cast<sockaddr*>(&at), &length) == 0 && ntohs(at.sin_port) == port) {
            return fd;
        }
    }
    return -1;
}

struct Call {
    std::string path;
    std::string body;
};

// An invalid body: a piece of a valid one, followed by rubbish.
Call malformed(Dice& dice, bool is_bind) {
    static constexpr std::array verbs{"/v1/filter", "/v1/preempt", "/v1/prioritize"};
    const std::string good = is_bind ? bind_args("u1", "n1") : filter_args("u1", R"(["n1","n2"])");
    std::string body = good.substr(0, dice.below(good.size()));
    switch (dice.below(4)) {
        case 0:
            body.append(dice.below(5'000), '[');
            break;
        case 1:
            body.append(dice.below(64), '\xff');
            break;
        case 2:
            for (std::size_t left = dice.below(200); left > 0; --left)
                body += static_cast<char>(dice.below(32));
            break;
        default:
            break;
    }
    return {is_bind ? "/v1/bind" : verbs.at(dice.below(verbs.size())), body};
}

}  // namespace

TEST_CASE("4,000 callers connect before one of them is accepted, and all are served") {
    if (!has_descriptors(2 * storm + 100) || most_pending_connections() < storm) {
        MESSAGE("skipped: this machine allows too few descriptors or pending connections");
        return;
    }
    auto port = HttpPort::open(
        {.address = {"127.0.0.1", 0}},
        {.handle = [](const Request& request) { return Answer{.body = std::string(request.body)}; }, .gone = {}});
    REQUIRE(port);
    std::vector<Wire> callers;
    // Nothing is accepted: a caller beyond the backlog would get no connection at all.
    for (std::size_t at = 0; at < storm; ++at) {
        callers.emplace_back((*port)->port());
        REQUIRE(callers.back().is_connected());
        REQUIRE(callers.back().send(post("/", "here")));
    }
    REQUIRE((*port)->start());
    const auto served = std::ranges::count_if(callers, [](Wire& caller) {
        const auto heard = caller.hear();
        return heard && heard->body == "here";
    });
    CHECK(served == storm);
}

TEST_CASE("4,000 binds wait at once, filter is served meanwhile, and each gets its answer") {
    if (!has_descriptors(2 * storm + 100)) {
        MESSAGE("skipped: this machine allows too few descriptors");
        return;
    }
    Edge edge;
    std::vector<Wire> binders;
    for (std::size_t at = 0; at < storm; ++at) {
        binders.emplace_back(edge.bind());
        REQUIRE(binders.back().send(post("/v1/bind", bind_args(fmt::format("u{}", at), "n1"))));
    }
    REQUIRE(edge.backend.await_calls(storm));
    Wire scheduler(edge.extender());
    for (int at = 0; at < 20; ++at) {
        scheduler.send(post("/v1/filter", filter_args("plain", names(1000))));
        const auto heard = scheduler.hear();
        REQUIRE(heard);
        CHECK(heard->status == 200);
    }
    for (const auto call : edge.backend.calls())
        edge.server->answer({.call = call, .result = engine::BindResult::ok, .error = ""});
    const auto answered = std::ranges::count_if(binders, [](Wire& binder) {
        const auto heard = binder.hear();
        return heard && heard->body == R"({"Error":""})";
    });
    CHECK(answered == storm);
    CHECK(edge.backend.gone() == 0);
}

TEST_CASE("10,000 malformed bodies bind no pod, reveal nothing and leave no memory behind") {
    Edge edge;
    Dice dice;
    Wire control(edge.extender());
    Wire bind(edge.bind());
    constexpr int bodies = 10'000;
    std::size_t before = 0;
    for (int at = 0; at < bodies; ++at) {
        if (at == bodies / 4)
            before = resident_bytes();  // By now every buffer has had its largest request.
        const bool is_bind = at % 2 == 0;
        const auto call = malformed(dice, is_bind);
        Wire& wire = is_bind ? bind : control;
        REQUIRE(wire.send(post(call.path, call.body)));
        const auto heard = wire.hear();
        REQUIRE(heard);
        CHECK(heard->status == 200);
        const auto answer = nlohmann::json::parse(heard->body, nullptr, false);
        CHECK_FALSE(answer.is_discarded());
        if (is_bind)
            CHECK_FALSE(answer.value("Error", "").empty());
    }
    const auto after = resident_bytes();
    CHECK(edge.backend.calls().empty());
    CHECK(edge.backend.filtered().empty());
#ifdef __SANITIZE_ADDRESS__
    constexpr std::size_t slack = 256UL << 20U;  // What is freed is kept for a while.
#else
    constexpr std::size_t slack = 8UL << 20U;
#endif
    CHECK(after < before + slack);
}

TEST_CASE("the liveness probe reports a dead listening socket") {
    Edge edge;
    Wire admin(edge.admin());
    const auto health = [&admin](std::string_view path) {
        admin.send(fmt::format("GET {} HTTP/1.1\r\n\r\n", path));
        const auto heard = admin.hear();
        return heard ? heard->status : 0;
    };
    CHECK(health("/livez") == 200);
    const int socket = listening_socket(edge.bind());
    REQUIRE(socket >= 0);
    REQUIRE(::shutdown(socket, SHUT_RDWR) == 0);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (edge.server->is_listening() && std::chrono::steady_clock::now() < end)
        std::this_thread::yield();
    CHECK_FALSE(edge.server->is_listening());
    CHECK(health("/livez") == 503);
    CHECK(health("/readyz") == 503);
}

TEST_CASE("an honest caller is served beside every attack at once") {
    Edge edge;
    struct Attack {
        const char* name;
        std::string bytes;
        int status;  // 0: no answer is due yet.
    };
    const std::string head = "POST /v1/filter HTTP/1.1\r\nHost: a\r\n";
    std::string flood = head;
    for (int at = 0; at < 2'000; ++at)
        flood += fmt::format("X-{}: y\r\n", at);
    std::string ranges = "GET /metrics HTTP/1.1\r\nRange: bytes=0-";
    for (int at = 0; at < 1'000; ++at)
        ranges += ",0-";
    const std::vector<Attack> attacks = {
        {"slowloris", "POST /v1/fil", 0},
        {"a body that never comes", head + "Content-Length: 4000000\r\n\r\n{", 0},
        {"200 KB of headers", flood, 431},
        {"a line without an end", head + "X: " + std::string(100'000, 'y'), 431},
        {"chunks", head + "Transfer-Encoding: chunked\r\n\r\nffffff\r\n", 411},
        {"a gzip bomb", head + "Content-Encoding: gzip\r\nContent-Length: 10\r\n\r\n0123456789", 415},
        {"a Range bomb", ranges + "\r\n\r\n", 416},
        {"a gigabyte", head + "Content-Length: 1073741824\r\n\r\n", 413},
        {"deep JSON", post("/v1/filter", R"({"Pod":)" + std::string(1'000'000, '[')), 200},
        {"no HTTP", "\x16\x03\x01\x02", 400},
    };
    constexpr int callers_each = 20;
    std::vector<Wire> slow;
    std::atomic<bool> is_over = false;
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> attackers;
    for (const Attack& attack : attacks) {
        if (attack.status == 0) {
            for (int at = 0; at < callers_each; ++at) {
                slow.emplace_back(edge.extender());
                slow.back().send(attack.bytes);
            }
            continue;
        }
        attackers.emplace_back([&edge, &is_over, &wrong, &attack] {
            for (int at = 0; at < callers_each || !is_over; ++at) {
                const auto heard = ask(edge.extender(), attack.bytes);
                if (!heard || heard->status != attack.status)
                    ++wrong;
            }
        });
    }
    Wire honest(edge.extender());
    for (int at = 0; at < 100; ++at) {
        REQUIRE(honest.send(post("/v1/filter", filter_args("u1", R"(["n1"])"))));
        const auto heard = honest.hear();
        REQUIRE(heard);
        CHECK(heard->body == R"({"NodeNames":["n1"],"Error":""})");
    }
    is_over = true;
    attackers.clear();
    CHECK(wrong == 0);
    CHECK(edge.backend.filtered().size() == 100);
}

}  // namespace echelon::server

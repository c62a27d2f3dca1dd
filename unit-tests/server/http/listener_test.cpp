#include "server/http/listener.hpp"

#include <cstdint>
#include <string>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace echelon::server {
namespace {

// What the listener makes of a caller from this address of the machine.
Peer caller(const Listener& listener, const std::string& address) {
    const bool is_ipv6 = address.find(':') != std::string::npos;
    const int socket = ::socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto port = htons(static_cast<std::uint16_t>(listener.port()));
    int failed = -1;
    if (is_ipv6) {
        sockaddr_in6 to{};
        to.sin6_family = AF_INET6;
        to.sin6_port = port;
        REQUIRE(::inet_pton(AF_INET6, address.c_str(), &to.sin6_addr) == 1);
        failed = ::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to);
    } else {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = port;
        REQUIRE(::inet_pton(AF_INET, address.c_str(), &to.sin_addr) == 1);
        failed = ::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to);
    }
    CAPTURE(address);
    REQUIRE(failed == 0);
    pollfd waits{.fd = listener.socket(), .events = POLLIN, .revents = 0};
    REQUIRE(::poll(&waits, 1, 20'000) == 1);
    Accepted accepted;
    REQUIRE(listener.accept(accepted) == AcceptOutcome::accepted);
    ::close(accepted.socket);
    ::close(socket);
    return accepted.peer;
}

TEST_CASE("a port on :: takes callers over IPv6 and IPv4, and each has one name: its share goes by it") {
    const auto listener = Listener::open({"::", 0});
    REQUIRE(listener.has_value());
    const Peer over_ipv6 = caller(*listener, "::1");
    CHECK(over_ipv6.address == "::1");
    CHECK(over_ipv6.is_loopback);
    const Peer over_ipv4 = caller(*listener, "127.0.0.1");
    CHECK(over_ipv4.address == "127.0.0.1");  // Not "::ffff:127.0.0.1".
    CHECK(over_ipv4.is_loopback);
}

TEST_CASE("a port on ::1 takes callers over IPv6, and a taken address is named in brackets") {
    const auto listener = Listener::open({"::1", 0});
    REQUIRE(listener.has_value());
    CHECK(caller(*listener, "::1").is_loopback);
    const auto second = Listener::open({"::1", listener->port()});
    REQUIRE_FALSE(second.has_value());
    CHECK(second.error().sentence.starts_with("address [::1]:" + std::to_string(listener->port()) + ": "));
}

}  // namespace
}  // namespace echelon::server

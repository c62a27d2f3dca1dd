#include "server/http/listener.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace echelon::server {
namespace {

constexpr int backlog = 4096;
// Fits a whole answer with 5,000 names, so that one call sends it.
constexpr int socket_buffer_bytes = 256 * 1024;

bool set(int socket, int level, int option, int value) {
    return ::setsockopt(socket, level, option, &value, sizeof value) == 0;
}

// Accepted sockets inherit these. A caller whose machine has vanished is detected within half a minute.
void set_options(int socket) {
    set(socket, SOL_SOCKET, SO_REUSEADDR, 1);
    set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 15);
    set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
    set(socket, SOL_SOCKET, SO_SNDBUF, socket_buffer_bytes);
    set(socket, SOL_SOCKET, SO_RCVBUF, socket_buffer_bytes);
}

std::string text_of(int error) {
    return std::error_code(error, std::generic_category()).message();
}

int port_of(int socket) {
    sockaddr_storage name{};
    socklen_t size = sizeof name;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0)
        return 0;
    if (name.ss_family == AF_INET6)
        return ntohs(reinterpret_cast<const sockaddr_in6&>(name).sin6_port);
    return ntohs(reinterpret_cast<const sockaddr_in&>(name).sin_port);
}

Peer peer_of(const in_addr& address) {
    std::array<char, INET_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET, &address, text.data(), text.size());
    return {text.data(), (ntohl(address.s_addr) >> 24) == 127};
}

// An IPv4 caller has the same address on IPv4 and dual-stack sockets, since connections are counted by it.
Peer peer_of(const sockaddr_storage& from) {
    if (from.ss_family != AF_INET6)
        return peer_of(reinterpret_cast<const sockaddr_in&>(from).sin_addr);
    const auto& address = reinterpret_cast<const sockaddr_in6&>(from).sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&address)) {
        in_addr mapped{};
        std::memcpy(&mapped, &address.s6_addr[12], sizeof mapped);
        return peer_of(mapped);
    }
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET6, &address, text.data(), text.size());
    return {text.data(), IN6_IS_ADDR_LOOPBACK(&address) != 0};
}

using Places = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

// Null: the host has no address; `problem` says why.
Places places_of(const std::string& host, int port, int& failed) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    failed = ::getaddrinfo(host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(), &hints, &found);
    return {failed == 0 ? found : nullptr, &::freeaddrinfo};
}

// A listening socket, or -1 with the reason of the last failure.
int listen_at(const addrinfo* places, int& error) {
    for (const addrinfo* at = places; at != nullptr; at = at->ai_next) {
        const int socket = ::socket(at->ai_family, at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, at->ai_protocol);
        if (socket < 0) {
            error = errno;
            continue;
        }
        set_options(socket);
        // "::" means all addresses including IPv4, whatever the system's default is.
        if (at->ai_family == AF_INET6)
            set(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
        if (::bind(socket, at->ai_addr, at->ai_addrlen) == 0 && ::listen(socket, backlog) == 0)
            return socket;
        error = errno;
        ::close(socket);
    }
    return -1;
}

}  // namespace

base::Result<Listener> Listener::open(const config::Address& address) {
    const auto where = address.text();
    int failed = 0;
    const Places places = places_of(address.host, address.port, failed);
    if (failed != 0)
        return base::failure(fmt::format("address {}: {}", where, ::gai_strerror(failed)));
    int error = EADDRNOTAVAIL;
    int socket = listen_at(places.get(), error);
    // On a machine without IPv6, "0.0.0.0" means all addresses.
    if (socket < 0 && error == EAFNOSUPPORT && address.host == "::")
        socket = listen_at(places_of("0.0.0.0", address.port, failed).get(), error);
    if (socket < 0)
        return base::failure(fmt::format("address {}: {}", where, text_of(error)));
    return Listener(socket, port_of(socket));
}

Listener::~Listener() {
    if (socket_ >= 0)
        ::close(socket_);
}

Listener::Listener(Listener&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), port_(std::exchange(other.port_, 0)) {}

AcceptOutcome Listener::accept(Accepted& into) const {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    int socket = -1;
    do {
        size = sizeof from;
        socket = ::accept4(socket_, reinterpret_cast<sockaddr*>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    } while (socket < 0 && (errno == EINTR || errno == ECONNABORTED));  // Each takes one connection off the queue.
    if (socket >= 0) {
        into.socket = socket;
        into.peer = peer_of(from);
        return AcceptOutcome::accepted;
    }
    switch (errno) {
        case EAGAIN:
            return AcceptOutcome::nobody;
        // These errors end the listener; others concern one connection or are temporary.
        case EBADF:
        case EINVAL:
        case ENOTSOCK:
        case EOPNOTSUPP:
            return AcceptOutcome::dead;
        default:
            return AcceptOutcome::exhausted;
    }
}

}  // namespace echelon::server

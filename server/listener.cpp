#include "server/listener.hpp"

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
// One whole answer with 5,000 names fits, so that a send is one call.
constexpr int socket_buffer_bytes = 256 * 1024;

bool set(int socket, int level, int option, int value) {
    return ::setsockopt(socket, level, option, &value, sizeof value) == 0;
}

// Accepted sockets inherit these. A caller whose machine vanished is noticed within half a minute.
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

Peer peer_of(const sockaddr_storage& from) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (from.ss_family == AF_INET6) {
        const auto& address = reinterpret_cast<const sockaddr_in6&>(from).sin6_addr;
        ::inet_ntop(AF_INET6, &address, text.data(), text.size());
        bool mapped_loopback = IN6_IS_ADDR_V4MAPPED(&address) && address.s6_addr[12] == 127;
        return {text.data(), IN6_IS_ADDR_LOOPBACK(&address) || mapped_loopback};
    }
    const auto& address = reinterpret_cast<const sockaddr_in&>(from).sin_addr;
    ::inet_ntop(AF_INET, &address, text.data(), text.size());
    return {text.data(), (ntohl(address.s_addr) >> 24) == 127};
}

}  // namespace

model::Result<Listener> Listener::open(const config::Address& address) {
    auto where = fmt::format("{}:{}", address.host, address.port);
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    auto port = std::to_string(address.port);
    int failed = ::getaddrinfo(address.host.empty() ? nullptr : address.host.c_str(), port.c_str(), &hints, &found);
    if (failed != 0)
        return model::failure(fmt::format("address {}: {}", where, ::gai_strerror(failed)));
    std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, &::freeaddrinfo);
    int error = EADDRNOTAVAIL;
    for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
        int socket = ::socket(at->ai_family, at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, at->ai_protocol);
        if (socket < 0) {
            error = errno;
            continue;
        }
        set_options(socket);
        if (::bind(socket, at->ai_addr, at->ai_addrlen) == 0 && ::listen(socket, backlog) == 0) {
            return Listener(socket, port_of(socket));
        }
        error = errno;
        ::close(socket);
    }
    return model::failure(fmt::format("address {}: {}", where, text_of(error)));
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
        // These end the listener itself; everything else is about one connection or passes.
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

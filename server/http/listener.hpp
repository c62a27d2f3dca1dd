#pragma once

// How are TCP connections accepted? By a bound socket with a long backlog, whose options accepted sockets inherit.

#include "base/result.hpp"
#include "config/settings.hpp"
#include "server/http/request.hpp"

#include <string>

namespace echelon::server {

// An accepted, non-blocking socket.
struct Accepted {
    int socket = -1;  // Owned by the receiver.
    Peer peer;
};

// The result of one attempt to accept.
enum class AcceptOutcome : unsigned char {
    accepted,
    nobody,     // No connection waits.
    exhausted,  // Descriptors or memory are short: pause, then continue.
    dead,       // The listening socket has failed.
};

class Listener {
public:
    // An error: the address can't be resolved, or is taken.
    [[nodiscard]] static base::Result<Listener> open(const config::Address& address);
    ~Listener();
    Listener(Listener&& other) noexcept;
    Listener& operator=(Listener&&) = delete;

    [[nodiscard]] int socket() const { return socket_; }
    [[nodiscard]] int port() const { return port_; }
    // Never waits.
    [[nodiscard]] AcceptOutcome accept(Accepted& into) const;

private:
    Listener(int socket, int port) : socket_(socket), port_(port) {}

    int socket_;
    int port_;
};

}  // namespace echelon::server

#pragma once

// A listening TCP socket: bound, with a long backlog, and the options that every accepted connection inherits.

#include "base/result.hpp"
#include "config/settings.hpp"
#include "server/http/request.hpp"

#include <string>

namespace echelon::server {

// An accepted, non-blocking socket.
struct Accepted {
    int socket = -1;  // Owned by whoever receives it.
    Peer peer;
};

// What came of one attempt to accept.
enum class AcceptOutcome : unsigned char {
    accepted,
    nobody,     // Nobody waits.
    exhausted,  // Descriptors or memory are short: pause, then go on.
    dead,       // The socket can't be used any more.
};

class Listener {
public:
    // A sentence when the address can't be resolved or is taken.
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

#pragma once

// One accepted connection: where it stands in its conversation, what came and what must still go out.
//
// The id, the peer and the atomics may be read by anyone; everything else belongs to whoever holds `mutex`.

#include "server/http/byte_buffer.hpp"
#include "server/http/request.hpp"
#include "server/http/request_framing.hpp"
#include "server/http/socket.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace echelon::server {

using Clock = std::chrono::steady_clock;
inline constexpr Clock::time_point never = Clock::time_point::max();

enum class Phase : std::uint8_t {
    handshaking,  // TLS only.
    reading,      // Idle, or part of a request is there.
    waiting,      // The handler will answer later; only the peer's hanging up is watched.
    sending,      // An answer goes out.
    draining,     // The last answer went out; what still comes is thrown away, so that the peer can read it.
    closed,
};

struct Connection {
    Connection(std::uint64_t number, int socket, Peer from, SslHandle ssl)
        : id(number),
          peer(std::move(from)),
          channel(socket, std::move(ssl)),
          phase(channel.is_tls() ? Phase::handshaking : Phase::reading),
          is_admitted(!channel.is_tls()) {}

    const std::uint64_t id;
    const Peer peer;
    std::atomic<Clock::time_point> deadline{never};
    std::atomic<bool> is_notified_of_deadline = false;  // Part of a request is there: it is told before the end.
    std::atomic<bool> has_expired = false;              // Set once, by the sweep.

    std::mutex mutex;
    // Protected by mutex.
    Socket channel;
    Phase phase;
    bool is_admitted;  // Its certificate bears an allowed name.
    std::uint64_t requests = 0;

    ByteBuffer in;
    std::size_t scanned = 0;            // Bytes of `in` that hold no end of a header block.
    std::optional<Framing> framing;     // Of the request at the front of `in`, once its head is complete.
    std::size_t claimed = 0;            // Memory that this request has claimed from the port.
    Clock::time_point started = never;  // When the first byte of the request was seen waiting; never: none waits.

    bool is_head = false;  // The request under way is HEAD: no body goes out.
    bool closes = false;   // The connection ends after the answer.
    std::string out_head;
    std::string out_body;
    std::size_t sent = 0;  // Of both.
    std::size_t drained = 0;
};

}  // namespace echelon::server

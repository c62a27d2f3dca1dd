#pragma once

// What is the state of one accepted connection? Its phase, the bytes received, and the bytes to send.
//
// The id, the peer and the atomics may be read by any thread; everything else requires `mutex`.

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
    reading,      // Idle, or a request is incomplete.
    waiting,      // The handler will answer later; only a hang-up is watched.
    sending,      // An answer is being sent.
    draining,     // The last answer was sent; further input is discarded, so that the peer can read the answer.
    closed,
};

struct Connection {
    Connection(std::uint64_t number, int descriptor, Peer from, SslHandle ssl)
        : id(number),
          peer(std::move(from)),
          socket(descriptor, std::move(ssl)),
          phase(socket.is_tls() ? Phase::handshaking : Phase::reading),
          is_admitted(!socket.is_tls()) {}

    const std::uint64_t id;
    const Peer peer;
    std::atomic<Clock::time_point> deadline{never};
    std::atomic<bool> is_notified_of_deadline = false;  // A request is incomplete: gets an answer before the end.
    std::atomic<bool> has_expired = false;              // Set once, by the sweep.

    std::mutex mutex;
    // Protected by mutex.
    Socket socket;
    Phase phase;
    bool is_admitted;  // Its certificate has an allowed name.
    std::uint64_t requests = 0;

    ByteBuffer in;
    std::size_t scanned = 0;            // Bytes of `in` that contain no end of a header block.
    std::optional<Framing> framing;     // The request at the front of `in`, once its header is complete.
    std::size_t claimed = 0;            // Bytes of the port's memory limit that this request has claimed.
    Clock::time_point started = never;  // When the first byte of the request was seen; never: there is none.

    bool is_head = false;  // The request is HEAD: no body is sent.
    bool closes = false;   // The connection ends after the answer.
    std::string out_head;
    std::string out_body;
    std::size_t sent = 0;  // Bytes of both.
    std::size_t drained = 0;
};

}  // namespace echelon::server

#pragma once

// How is one connection served? Handshake, request, answer, next request, end. Never waits.
//
// serve() does everything that is possible now, and returns what to wait for. Workers serve different connections
// concurrently, each with its own HttpConnection. The connection's lock must be held.

#include "server/http/buffer_pool.hpp"
#include "server/http/connection.hpp"
#include "server/http/connection_table.hpp"
#include "server/http/rejection.hpp"
#include "server/http/request.hpp"
#include "server/http/tls_context.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace echelon::server {

struct PortLimits {
    std::size_t connections = 4096;
    std::size_t per_peer = SIZE_MAX;  // Connections of one address.
    // Connections beyond the limit that are answered with 503; further ones are closed at once.
    std::size_t refused_with_answer = 256;
    HeaderLimits header;
    HeaderLimits pushed;                             // For a request from loopback that begins with one of `pushes`.
    std::span<const std::string_view> pushes;        // Constants; none: `pushed` isn't used.
    std::size_t bodies_bytes = 256 * 1024 * 1024;    // For all large requests, until their answers are sent.
    std::size_t unclaimed_bytes = 64 * 1024;         // Smaller requests are bounded by the number of connections.
    std::chrono::milliseconds header_time{3'000};    // From the first byte to the end of the header; also a handshake.
    std::chrono::milliseconds request_time{10'000};  // From the first byte to the last; also for sending an answer.
    std::chrono::milliseconds idle_time{120'000};    // Above Go's 90 s, so that the client closes first.
    std::chrono::milliseconds drain_time{1'000};
};

// The handlers of a port. Called by its workers, concurrently; must not block.
struct PortHandlers {
    // nullopt: the answer comes later, by HttpPort::complete() with the request's ticket.
    std::function<std::optional<Answer>(const Request&)> handle;
    // The peer of an unanswered request hung up; it can't be answered any more.
    std::function<void(const Ticket&)> gone;
};

// What the workers of one port share. Thread-safe; outlives them.
struct PortState {
    PortState(PortLimits bounds, PortHandlers callbacks, std::function<void()> hurry)
        : limits(bounds), handlers(std::move(callbacks)), table(std::move(hurry)) {}

    // The limits for the request whose first bytes the connection has.
    [[nodiscard]] const HeaderLimits& header_limits(const Connection& connection) const;

    const PortLimits limits;
    const PortHandlers handlers;
    const TlsContext* tls = nullptr;  // Null: plain. Constant after start.
    std::uint64_t request_id_seed = 0;
    ConnectionTable table;
    BufferPool buffers;
    std::atomic<std::size_t> claimed_bytes = 0;
    std::array<std::atomic<std::uint64_t>, rejection_count> rejections{};

    void count(Rejection rejection) { ++rejections[static_cast<std::size_t>(rejection)]; }
};

// What a served connection waits for.
enum class Wait : std::uint8_t {
    until_readable,
    until_writable,  // To send.
    until_hang_up,   // The handler will answer later.
    yields_worker,   // It has used its share of the worker.
    nothing,         // It is closed and removed from the table.
};

class HttpConnection {
public:
    explicit HttpConnection(PortState& port) : port_(port) {}

    // Requires: the connection's lock. `hung_up`: the poller saw the peer's end.
    [[nodiscard]] Wait serve(Connection& connection, bool hung_up);
    // Answers a waiting request. False: it no longer waits.
    [[nodiscard]] bool answer_late(Connection& connection, std::uint64_t request, Answer answer);
    // Answers before any byte was read, and ends the connection.
    void turn_away(Connection& connection, int status, std::string_view what);

private:
    // nullopt: go on with the next step.
    using Step = std::optional<Wait>;
    Step step(Connection& connection);
    Step shake_hands(Connection& connection);
    Step read(Connection& connection);
    Step take_request(Connection& connection);
    Step call_handler(Connection& connection);
    Step send(Connection& connection);
    Step drain(Connection& connection);
    Step refuse(Connection& connection, Rejection rejection, int status, std::string_view what);
    Wait expire(Connection& connection);
    Wait close(Connection& connection);

    bool claim(Connection& connection, std::size_t bytes);
    void release_body_memory(Connection& connection);
    void forget_request(Connection& connection);
    void begin_answer(Connection& connection, Answer answer);
    void prepare_wait(Connection& connection, Wait wait);

    PortState& port_;
};

}  // namespace echelon::server

#include "server/http/http_connection.hpp"

#include "server/http/request_parser.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

namespace echelon::server {
namespace {

constexpr int steps_per_turn = 256;  // Then other connections get the worker.
constexpr std::size_t small_wait =
    8 * 1024;  // The buffer of a waiting connection is at most twice this, or twice its content.
constexpr std::size_t least_room = 4 * 1024;
constexpr std::size_t joined_bytes = 16 * 1024;  // Up to this size header and body go into one TLS record.
constexpr std::size_t drain_bytes = 16 * 1024 * 1024;

// Assigning `{}` would keep the capacity.
void free_text(std::string& text) {
    std::string().swap(text);
}

// A buffer no larger than its content needs.
ByteBuffer compacted(const ByteBuffer& from) {
    ByteBuffer small;
    auto bytes = from.view();
    auto room = small.room(std::max<std::size_t>(bytes.size(), 512));
    std::ranges::copy(bytes, room.begin());
    small.filled(bytes.size());
    return small;
}

// What a connection waits for after an incomplete read, write or handshake; nullopt: the socket has ended.
std::optional<Wait> wait_after(Progress progress) {
    switch (progress) {
        case Progress::wants_read:
            return Wait::until_readable;
        case Progress::wants_write:
            return Wait::until_writable;
        case Progress::done:
        case Progress::ended:
        case Progress::failed:
            break;
    }
    return std::nullopt;
}

}  // namespace

const HeaderLimits& PortState::header_limits(const Connection& connection) const {
    const auto begin = connection.in.view();
    const bool is_push = connection.peer.is_loopback && std::ranges::any_of(limits.pushes, [&](std::string_view push) {
                             return begin.starts_with(push);
                         });
    return is_push ? limits.pushed : limits.header;
}

Wait HttpConnection::serve(Connection& connection, bool hung_up) {
    if (connection.phase == Phase::closed)
        return Wait::nothing;
    if (connection.phase == Phase::waiting && hung_up) {
        if (port_.handlers.gone)
            port_.handlers.gone({connection.id, connection.requests});
        return close(connection);
    }
    if (connection.has_expired.load())
        return expire(connection);
    Step wait;
    for (int steps = 0; !wait && steps < steps_per_turn; ++steps)
        wait = step(connection);
    prepare_wait(connection, wait.value_or(Wait::yields_worker));
    return wait.value_or(Wait::yields_worker);
}

bool HttpConnection::answer_late(Connection& connection, std::uint64_t request, Answer answer) {
    if (connection.phase != Phase::waiting || connection.requests != request)
        return false;
    begin_answer(connection, std::move(answer));
    return true;
}

void HttpConnection::turn_away(Connection& connection, int status, std::string_view what) {
    refuse(connection, Rejection::capacity, status, what);
}

HttpConnection::Step HttpConnection::step(Connection& connection) {
    switch (connection.phase) {
        case Phase::handshaking:
            return shake_hands(connection);
        case Phase::reading:
            return read(connection);
        case Phase::waiting:
            return Wait::until_hang_up;
        case Phase::sending:
            return send(connection);
        case Phase::draining:
            return drain(connection);
        case Phase::closed:
            return Wait::nothing;
    }
    return close(connection);
}

HttpConnection::Step HttpConnection::shake_hands(Connection& connection) {
    const Progress progress = connection.socket.handshake();
    if (progress == Progress::done) {
        connection.is_admitted = port_.tls->admits(connection.socket.ssl());
        connection.phase = Phase::reading;
        connection.started = never;
        return std::nullopt;
    }
    if (const auto wait = wait_after(progress))
        return wait;
    port_.count(Rejection::tls);
    return close(connection);
}

HttpConnection::Step HttpConnection::read(Connection& connection) {
    auto& in = connection.in;
    if (!in.empty()) {
        bool complete = connection.framing && in.size() >= connection.framing->total();
        if (complete)
            return call_handler(connection);
        // Parses again only if new bytes have arrived.
        if (!connection.framing && connection.scanned < in.size())
            return take_request(connection);
    }
    if (in.capacity() == 0)
        in = port_.buffers.take();
    // Memory follows the bytes received, not the announced length.
    auto missing = connection.framing ? connection.framing->total() - in.size() : least_room;
    auto room = in.room(std::min(missing, std::max(least_room, in.size())), in.size() + missing);
    auto got = connection.socket.read(room);
    if (got.progress == Progress::done) {
        in.filled(got.count);
        return std::nullopt;
    }
    const auto wait = wait_after(got.progress);
    return wait ? wait : close(connection);
}

// Parses the header block at the front; sets `framing` if it is complete and valid.
HttpConnection::Step HttpConnection::take_request(Connection& connection) {
    auto verdict = parse_framing(connection.in.view(), connection.scanned, port_.header_limits(connection));
    if (const auto* more = std::get_if<NeedMore>(&verdict)) {
        connection.scanned = more->scanned;
        return std::nullopt;
    }
    if (const auto* fault = std::get_if<FramingFault>(&verdict)) {
        return refuse(connection, Rejection::framing, fault->status, fault->what);
    }
    const auto& framing = std::get<Framing>(verdict);
    if (!connection.is_admitted) {
        return refuse(connection, Rejection::name, 403, "no name of the client certificate is allowed");
    }
    if (!claim(connection, framing.total())) {
        return refuse(connection, Rejection::memory, 503, "too many large requests at once");
    }
    connection.framing = framing;
    if (framing.wants_continue && connection.in.size() < framing.total()) {
        // Best effort: a socket without room for 25 bytes is not waited for.
        constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
        if (connection.socket.write(go_on, {}).count != go_on.size())
            return close(connection);
    }
    return std::nullopt;
}

HttpConnection::Step HttpConnection::call_handler(Connection& connection) {
    auto framing = *connection.framing;
    auto bytes = connection.in.view().substr(0, framing.total());
    auto request = parse_request(bytes, framing);
    if (!request)
        return refuse(connection, Rejection::framing, 400, request.error().sentence);
    request->peer = &connection.peer;
    request->ticket = {connection.id, ++connection.requests};
    connection.is_head = request->method == "HEAD";
    connection.closes = !framing.keep_alive;
    std::optional<Answer> answer;
    try {
        answer = port_.handlers.handle(*request);
    } catch (const std::exception&) {  // The last resort: no memory, or a fault in a handler.
        answer = Answer{.status = 500, .type = text_type, .body = "internal error\n"};
    }
    forget_request(connection);
    if (answer) {
        begin_answer(connection, std::move(*answer));
    } else {
        connection.phase = Phase::waiting;
    }
    return std::nullopt;
}

HttpConnection::Step HttpConnection::send(Connection& connection) {
    auto head = std::string_view(connection.out_head);
    auto body = std::string_view(connection.out_body);
    while (connection.sent < head.size() + body.size()) {
        auto rest_of_head = head.substr(std::min(connection.sent, head.size()));
        auto rest_of_body = body.substr(connection.sent - std::min(connection.sent, head.size()));
        auto put = connection.socket.write(rest_of_head, rest_of_body);
        if (put.progress != Progress::done) {
            const auto wait = wait_after(put.progress);
            return wait ? wait : close(connection);
        }
        connection.sent += put.count;
    }
    free_text(connection.out_head);
    free_text(connection.out_body);
    connection.sent = 0;
    connection.started = never;
    release_body_memory(connection);
    if (!connection.closes) {
        connection.phase = Phase::reading;
        return std::nullopt;
    }
    connection.in.clear();
    connection.socket.end_writing();
    connection.phase = Phase::draining;
    return std::nullopt;
}

// Closing with unread bytes would reset the connection, and the peer could lose the answer.
HttpConnection::Step HttpConnection::drain(Connection& connection) {
    if (connection.in.capacity() == 0)
        connection.in = port_.buffers.take();
    auto got = connection.socket.read(connection.in.room(least_room));
    if (got.progress == Progress::done) {
        connection.drained += got.count;
        if (connection.drained < drain_bytes)
            return std::nullopt;
    }
    const auto wait = wait_after(got.progress);
    return wait ? wait : close(connection);
}

HttpConnection::Step HttpConnection::refuse(Connection& connection, Rejection rejection, int status,
                                            std::string_view what) {
    port_.count(rejection);
    connection.is_head = false;
    connection.in.clear();
    forget_request(connection);
    ++connection.requests;
    begin_answer(connection,
                 Answer{.status = status, .type = text_type, .body = fmt::format("{}\n", what), .close = true});
    return std::nullopt;
}

// The deadline has passed. An incomplete request gets an answer; other connections are closed. Callers that had all
// their answers are not turned away.
Wait HttpConnection::expire(Connection& connection) {
    bool is_answered = connection.phase == Phase::reading && !connection.in.empty();
    const bool is_kept = connection.phase == Phase::reading && connection.in.empty() && connection.requests > 0;
    if (connection.phase != Phase::draining && !is_kept)
        port_.count(Rejection::timeout);
    if (is_answered) {
        auto late = answer_head({.status = 408, .type = text_type, .close = true}, "-");
        static_cast<void>(connection.socket.write(late, {}));
        connection.socket.end_writing();
    }
    return close(connection);
}

Wait HttpConnection::close(Connection& connection) {
    release_body_memory(connection);
    if (connection.in.capacity() != 0)
        port_.buffers.give_back(std::move(connection.in));
    connection.in = {};
    connection.phase = Phase::closed;
    port_.table.remove(connection.id);
    return Wait::nothing;
}

bool HttpConnection::claim(Connection& connection, std::size_t bytes) {
    if (bytes <= port_.limits.unclaimed_bytes)
        return true;
    connection.claimed = bytes;
    const bool is_within = port_.claimed_bytes.fetch_add(bytes) + bytes <= port_.limits.bodies_bytes;
    if (!is_within)
        release_body_memory(connection);
    return is_within;
}

void HttpConnection::release_body_memory(Connection& connection) {
    if (connection.claimed == 0)
        return;
    port_.claimed_bytes.fetch_sub(std::exchange(connection.claimed, 0));
}

// Removes the request at the front of the buffer. Its claimed memory also covers its answer.
void HttpConnection::forget_request(Connection& connection) {
    if (connection.framing)
        connection.in.consume(connection.framing->total());
    connection.framing.reset();
    connection.scanned = 0;
    connection.started = never;
}

void HttpConnection::begin_answer(Connection& connection, Answer answer) {
    if (answer.close)
        connection.closes = true;
    answer.close = connection.closes;
    connection.out_head = answer_head(answer, request_id(port_.request_id_seed, {connection.id, connection.requests}));
    connection.out_body = connection.is_head ? std::string{} : std::move(answer.body);
    if (connection.socket.is_tls() && connection.out_body.size() <= joined_bytes) {
        connection.out_head += std::exchange(connection.out_body, {});
    }
    connection.sent = 0;
    connection.phase = Phase::sending;
}

// Prepares a connection for waiting: releases memory, and sets its deadline.
void HttpConnection::prepare_wait(Connection& connection, Wait wait) {
    auto& in = connection.in;
    if (wait == Wait::nothing)
        return;
    if (in.empty() || connection.phase == Phase::draining) {
        if (in.capacity() != 0)
            port_.buffers.give_back(std::exchange(in, {}));
    } else if (in.capacity() > 2 * std::max(in.size(), small_wait)) {
        auto small = compacted(in);
        port_.buffers.give_back(std::exchange(in, std::move(small)));
    }
    auto now = Clock::now();
    bool in_request = connection.phase == Phase::reading && !in.empty();
    if (in_request && connection.started == never)
        connection.started = now;
    connection.is_notified_of_deadline.store(in_request);
    const auto& limits = port_.limits;
    auto deadline = never;
    switch (connection.phase) {
        case Phase::handshaking:
            if (connection.started == never)
                connection.started = now;
            deadline = connection.started + limits.header_time;
            break;
        case Phase::reading:
            deadline = !in_request          ? now + limits.idle_time
                       : connection.framing ? connection.started + limits.request_time
                                            : connection.started + limits.header_time;
            break;
        case Phase::sending:
            if (connection.started == never)
                connection.started = now;
            deadline = connection.started + limits.request_time;
            break;
        case Phase::draining:
            if (connection.started == never)
                connection.started = now;
            deadline = connection.started + limits.drain_time;
            break;
        case Phase::waiting:
        case Phase::closed:
            break;
    }
    port_.table.set_deadline(connection, deadline);
}

}  // namespace echelon::server

#pragma once

// What passes between the wire and the verbs: a request that was framed, and the answer to it.
//
// Plain values. A request's views point into the buffer of its connection and end with the handler's return.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace echelon::server {

// Readable bytes behind every body, for a parser that looks ahead.
inline constexpr std::size_t body_padding = 64;

// Names one request for as long as it waits for its answer.
struct Ticket {
    std::uint64_t connection = 0;
    std::uint64_t request = 0;  // Counts the requests of this connection.

    auto operator<=>(const Ticket&) const = default;
};

// The other end, as accept reported it; never taken from a header.
struct Peer {
    std::string address;  // Numeric, without the port.
    bool is_loopback = false;
};

struct Request {
    std::string method;  // GET, HEAD, POST, PUT or DELETE.
    std::string path;    // Decoded, without the query.
    std::multimap<std::string, std::string> query;
    std::string accept;     // The first header of that name, as it came; empty: none.
    std::string_view body;  // Followed by `body_padding` readable bytes.
    const Peer* peer = nullptr;
    Ticket ticket;

    // The first value of a query parameter; empty: none.
    [[nodiscard]] std::string_view parameter(const std::string& name) const;
};

inline constexpr std::string_view json_type = "application/json; charset=utf-8";
inline constexpr std::string_view text_type = "text/plain; charset=utf-8";

struct Answer {
    int status = 200;
    std::string_view type = json_type;  // A constant.
    std::string body = {};
    std::string_view allow = {};  // For 405: the methods that the path knows.
    bool close = false;           // The connection ends with this answer.
};

[[nodiscard]] std::string_view reason_phrase(int status);

// "SEED-CONNECTION-REQUEST" in hexadecimal: what X-Request-Id says.
[[nodiscard]] std::string request_id(std::uint64_t seed, const Ticket& ticket);

// Status line and headers of an answer, up to and with the empty line. `request_id` is ours, never the caller's.
[[nodiscard]] std::string answer_head(const Answer& answer, std::string_view request_id);

}  // namespace echelon::server

#pragma once

// What do handlers receive and return? A request and its answer.
//
// Plain values. Views of a request point into the connection's buffer, and are valid until the handler returns.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace echelon::server {

// Readable bytes after every body, for a parser that reads ahead.
inline constexpr std::size_t body_padding = 64;

// Identifies a request while it waits for its answer.
struct Ticket {
    std::uint64_t connection = 0;
    std::uint64_t request = 0;  // Counts the requests of this connection.

    auto operator<=>(const Ticket&) const = default;
};

// The address of the caller from accept(), never from a header.
struct Peer {
    std::string address;  // Numeric, without the port.
    bool is_loopback = false;
};

struct Request {
    std::string method;  // GET, HEAD, POST, PUT or DELETE.
    std::string path;    // Decoded, without the query.
    std::multimap<std::string, std::string> query;
    std::string accept;     // The first Accept header, unchanged; empty: none.
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
    std::string_view allow = {};  // For 405: the allowed methods.
    bool close = false;           // The connection ends with this answer.
    unsigned retry_after = 0;     // Seconds, for 429; 0: nothing is said.
};

[[nodiscard]] std::string_view reason_phrase(int status);

// "SEED-CONNECTION-REQUEST" in hexadecimal, for X-Request-Id.
[[nodiscard]] std::string request_id(std::uint64_t seed, const Ticket& ticket);

// Status line and headers of an answer, including the empty line. `request_id` is ours, never the caller's.
[[nodiscard]] std::string answer_head(const Answer& answer, std::string_view request_id);

}  // namespace echelon::server

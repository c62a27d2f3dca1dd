#pragma once

// Is this the beginning of a request that may be answered at all, and where does it end?
//
// What two parsers could read differently (folded lines, two lengths, any Transfer-Encoding, a body on GET) is refused.
// This is the only reader of the head. Pure; constant memory; never looks at a byte twice when `scanned` is handed
// back.

#include <cstddef>
#include <string_view>
#include <variant>

namespace echelon::server {

struct HeaderLimits {
    std::size_t header_bytes = 16 * 1024;
    std::size_t body_bytes = 4 * 1024 * 1024;
};

// The block isn't complete. `scanned` bytes need no second look for its end.
struct NeedMore {
    std::size_t scanned = 0;
};

struct Framing {
    std::size_t head_bytes = 0;  // Request line and headers with the empty line.
    std::size_t body_bytes = 0;
    bool keep_alive = true;
    bool wants_continue = false;  // Expect: 100-continue.
    // The request line is "METHOD TARGET VERSION". The value of the first Accept header, from the front; 0 bytes: none.
    std::size_t method_bytes = 0;
    std::size_t target_bytes = 0;
    std::size_t accept_at = 0;
    std::size_t accept_bytes = 0;

    [[nodiscard]] std::size_t total() const { return head_bytes + body_bytes; }
};

// The request is refused and its connection ends: behind bad framing nothing can be trusted.
struct FramingFault {
    int status = 400;
    std::string_view what;  // A constant, for the body of the refusal.
};

using FramingResult = std::variant<NeedMore, Framing, FramingFault>;

// `received`: everything that came since the last request ended. `scanned`: from the last NeedMore, else 0.
[[nodiscard]] FramingResult parse_framing(std::string_view received, std::size_t scanned, const HeaderLimits& limits);

}  // namespace echelon::server

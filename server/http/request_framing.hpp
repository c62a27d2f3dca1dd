#pragma once

// Do these bytes begin a valid request, and where does it end?
//
// Refuses what two parsers could read differently: folded lines, two lengths, any Transfer-Encoding, a body on GET.
// This is the only parser of the header. Pure; constant memory; reads each byte once if `scanned` is passed back.

#include <cstddef>
#include <string_view>
#include <variant>

namespace echelon::server {

struct HeaderLimits {
    std::size_t header_bytes = 16 * 1024;
    std::size_t body_bytes = 4 * 1024 * 1024;
};

// The header block isn't complete. Its end is not in the first `scanned` bytes.
struct NeedMore {
    std::size_t scanned = 0;
};

struct Framing {
    std::size_t head_bytes = 0;  // Request line and headers, including the empty line.
    std::size_t body_bytes = 0;
    bool keep_alive = true;
    bool wants_continue = false;  // Expect: 100-continue.
    // The request line is "METHOD TARGET VERSION". accept_*: offset and length of the first Accept header; 0 bytes:
    // none.
    std::size_t method_bytes = 0;
    std::size_t target_bytes = 0;
    std::size_t accept_at = 0;
    std::size_t accept_bytes = 0;

    [[nodiscard]] std::size_t total() const { return head_bytes + body_bytes; }
};

// The request is refused, and the connection ends, since further bytes can't be trusted.
struct FramingFault {
    int status = 400;
    std::string_view what;  // A literal, for the body of the answer.
};

using FramingResult = std::variant<NeedMore, Framing, FramingFault>;

// `received`: all bytes since the end of the last request. `scanned`: from the last NeedMore, else 0.
[[nodiscard]] FramingResult parse_framing(std::string_view received, std::size_t scanned, const HeaderLimits& limits);

}  // namespace echelon::server

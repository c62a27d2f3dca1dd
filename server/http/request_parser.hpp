#pragma once

// Turns the bytes of one judged request into a Request, with the HTTP library as the parser.
//
// The library parses the head and stops at its first hook: it never routes, reads a body or writes an answer of ours.
// Not thread-safe: each worker has its own.

#include "base/result.hpp"
#include "server/http/request.hpp"

#include <memory>
#include <string_view>

namespace echelon::server {

class RequestParser {
public:
    RequestParser();
    ~RequestParser();

    // `bytes`: head and body, `head_bytes` of it the head; judge_header() found them good. Fails when the library
    // doesn't like the head (a target that is too long, say). Sets neither peer nor ticket.
    [[nodiscard]] base::Result<Request> parse(std::string_view bytes, std::size_t head_bytes);

private:
    class Library;
    std::unique_ptr<Library> library_;
};

}  // namespace echelon::server

#include "server/http/request_framing.hpp"

#include <string>

#include <doctest/doctest.h>

namespace echelon::server {
namespace {

FramingResult judge(std::string_view text) {
    return parse_framing(text, 0, {});
}

struct Row {
    const char* name;
    const char* text;
    int status;
};

}  // namespace

TEST_CASE("a whole header block says where the request ends") {
    auto verdict = judge("POST /v1/filter HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n{\"a\"");
    REQUIRE(std::holds_alternative<Framing>(verdict));
    auto framing = std::get<Framing>(verdict);
    CHECK(framing.head_bytes == 57);
    CHECK(framing.body_bytes == 12);
    CHECK(framing.keep_alive);
    CHECK_FALSE(framing.wants_continue);
}

TEST_CASE("every cut of a block needs more, and bytes that were looked at need no second look") {
    std::string text = "POST /v1/filter HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
    std::size_t scanned = 0;
    for (std::size_t size = 0; size < text.size(); ++size) {
        CAPTURE(size);
        auto verdict = parse_framing(std::string_view(text).substr(0, size), scanned, {});
        REQUIRE(std::holds_alternative<NeedMore>(verdict));
        scanned = std::get<NeedMore>(verdict).scanned;
    }
    CHECK(std::holds_alternative<Framing>(parse_framing(text, scanned, {})));
}

TEST_CASE("what two parsers could read differently is refused") {
    const Row rows[] = {
        {"garbage", "\x16\x03\x01", 400},
        {"lower case method", "get / HTTP/1.1\r\n\r\n", 400},
        {"no target", "GET HTTP/1.1\r\n\r\n", 400},
        {"two targets", "GET /a /b HTTP/1.1\r\n\r\n", 400},
        {"absolute target", "GET http://a/ HTTP/1.1\r\n\r\n", 400},
        {"control character in the request line", "GET /a\tb HTTP/1.1\r\n\r\n", 400},
        {"other version", "GET / HTTP/2.0\r\n\r\n", 505},
        {"PUT without a length", "PUT /v1/filter HTTP/1.1\r\n\r\n", 411},
        {"PATCH", "PATCH /v1/filter HTTP/1.1\r\n\r\n", 405},
        {"folded line", "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", 400},
        {"space before the colon", "GET / HTTP/1.1\r\nTE : chunked\r\n\r\n", 400},
        {"no colon", "GET / HTTP/1.1\r\nabc\r\n\r\n", 400},
        {"bare line feed", "GET / HTTP/1.1\r\nA: b\nTransfer-Encoding: chunked\r\n\r\n", 400},
        {"bare carriage return", "GET / HTTP/1.1\r\nA: b\rc\r\n\r\n", 400},
        {"chunked", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411},
        {"oddly spelled chunked", "POST / HTTP/1.1\r\nContent-Length: 2\r\ntransfer-ENCODING:\txchunked\r\n\r\n", 411},
        {"no length", "POST / HTTP/1.1\r\n\r\n", 411},
        {"two lengths", "POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n", 411},
        {"list of lengths", "POST / HTTP/1.1\r\nContent-Length: 2, 2\r\n\r\n", 411},
        {"signed length", "POST / HTTP/1.1\r\nContent-Length: +2\r\n\r\n", 411},
        {"length with a fraction", "POST / HTTP/1.1\r\nContent-Length: 2.0\r\n\r\n", 411},
        {"hexadecimal length", "POST / HTTP/1.1\r\nContent-Length: 0x2\r\n\r\n", 411},
        {"empty length", "POST / HTTP/1.1\r\nContent-Length:\r\n\r\n", 411},
        {"too long a body", "POST / HTTP/1.1\r\nContent-Length: 4194305\r\n\r\n", 413},
        {"length beyond 64 bits", "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413},
        {"body on GET", "GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", 400},
        {"huge body on GET", "GET / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n", 400},
        {"content encoding", "POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Encoding: gzip\r\n\r\n", 415},
        {"range", "GET / HTTP/1.1\r\nRange: bytes=0-\r\n\r\n", 416},
        {"other expectation", "POST / HTTP/1.1\r\nContent-Length: 2\r\nExpect: miracles\r\n\r\n", 417},
    };
    for (const auto& row : rows) {
        CAPTURE(row.name);
        auto verdict = judge(row.text);
        REQUIRE(std::holds_alternative<FramingFault>(verdict));
        CHECK(std::get<FramingFault>(verdict).status == row.status);
    }
}

TEST_CASE("the largest body is taken and a header of 16 KiB without an end is not") {
    CHECK(std::holds_alternative<Framing>(judge("POST / HTTP/1.1\r\nContent-Length: 4194304\r\n\r\n")));
    std::string endless = "GET / HTTP/1.1\r\nA: " + std::string(16 * 1024, 'a');
    auto verdict = judge(endless);
    REQUIRE(std::holds_alternative<FramingFault>(verdict));
    CHECK(std::get<FramingFault>(verdict).status == 431);
    // An end behind the limit comes too late.
    verdict = judge(endless + "\r\n\r\n");
    REQUIRE(std::holds_alternative<FramingFault>(verdict));
    CHECK(std::get<FramingFault>(verdict).status == 431);
}

TEST_CASE("connection and expectation are understood") {
    auto framing = std::get<Framing>(judge("GET / HTTP/1.1\r\nConnection: x, Close\r\n\r\n"));
    CHECK_FALSE(framing.keep_alive);
    CHECK_FALSE(std::get<Framing>(judge("GET / HTTP/1.0\r\n\r\n")).keep_alive);
    CHECK(std::get<Framing>(judge("POST / HTTP/1.1\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\n"))
              .wants_continue);
    CHECK(std::get<Framing>(judge("GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n")).body_bytes == 0);
}

}  // namespace echelon::server

// The target and the headers of a request, as the verbs get them.

#include "server/http/request_parser.hpp"

#include <string>
#include <variant>

#include <doctest/doctest.h>

namespace echelon::server {
namespace {

base::Result<Request> parsed(const std::string& bytes) {
    const auto verdict = parse_framing(bytes, 0, {});
    REQUIRE(std::holds_alternative<Framing>(verdict));
    return parse_request(bytes, std::get<Framing>(verdict));
}

base::Result<Request> asked_for(const std::string& target) {
    return parsed("GET " + target + " HTTP/1.1\r\n\r\n");
}

TEST_CASE("method, path, Accept and body of a request are what its bytes say") {
    const std::string bytes =
        "POST /v1/filter HTTP/1.1\r\nHost: a\r\naccept:  text/plain \r\nAccept: b\r\nContent-Length: 2\r\n\r\n{}";
    const auto request = parsed(bytes);
    REQUIRE(request);
    CHECK(request->method == "POST");
    CHECK(request->path == "/v1/filter");
    CHECK(request->query.empty());
    CHECK(request->accept == "text/plain");
    CHECK(request->body == "{}");
}

TEST_CASE("a target is decoded: its path without a plus, its query with one") {
    const auto request = asked_for("/a%2Fb+c?gang=ns%2fx&why=a+b&verbose&&=1&gang=second");
    REQUIRE(request);
    CHECK(request->path == "/a/b+c");
    CHECK(request->parameter("gang") == "ns/x");
    CHECK(request->parameter("why") == "a b");
    CHECK(request->query.contains("verbose"));
    CHECK(request->query.count("gang") == 2);
    CHECK(request->accept == "");
}

TEST_CASE("a target that cannot be decoded is refused") {
    for (const char* target : {"/%", "/%4", "/%zz", "/%00", "/%0d%0a", "/a?b=%7f", "/a?%=1"}) {
        CAPTURE(target);
        CHECK_FALSE(asked_for(target));
    }
}

TEST_CASE("a question mark in a query is part of the value") {
    const auto request = asked_for("/a?b=c?d=e");
    REQUIRE(request);
    CHECK(request->parameter("b") == "c?d=e");
}

}  // namespace
}  // namespace echelon::server

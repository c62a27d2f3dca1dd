#include "server/extender/bind_calls.hpp"

#include "unit-tests/server/edge.hpp"

#include <string>

#include <doctest/doctest.h>

namespace echelon::server {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

// Bodies with the padding that a connection's buffer has.
struct Call {
    explicit Call(std::uint64_t connection) {
        text.reserve(1024);
        text.append(bind_args("u" + std::to_string(connection), "n1"));
        request.body = text;
        request.ticket = {connection, 1};
    }
    std::string text;
    Request request;
};

}  // namespace

TEST_CASE("beyond its capacity a bind call fails at once, and there is room again after an answer") {
    FakeBackend backend;
    auto callbacks = backend.as_backend();
    Metrics metrics;
    BindCalls calls(callbacks, metrics, {.all = 2, .members = 2});
    CHECK_FALSE(calls.begin(Call(1).request));
    CHECK_FALSE(calls.begin(Call(2).request));
    CHECK(calls.begin(Call(3).request) == R"({"Error":"echelon: too many bind calls wait already"})");
    CHECK(calls.waiting() == 2);
    REQUIRE(backend.calls().size() == 2);
    CHECK(backend.calls()[0] != backend.calls()[1]);
    auto ended =
        calls.answer({.call = backend.calls()[1], .result = engine::BindResult::deadline, .error = "echelon: no"});
    REQUIRE(ended);
    CHECK(ended->first == Ticket{2, 1});
    CHECK(ended->second == R"({"Error":"echelon: no"})");
    CHECK_FALSE(calls.begin(Call(4).request));
}

TEST_CASE("members leave room to plain pods, however many of them wait") {
    FakeBackend backend;
    backend.show(
        published_with({{"u1", pinned("n1")}, {"u2", pinned("n1")}, {"u3", pinned("n1")}, {"u4", pinned("n1")}}));
    auto callbacks = backend.as_backend();
    Metrics metrics;
    BindCalls calls(callbacks, metrics, {.all = 4, .members = 2});
    CHECK_FALSE(calls.begin(Call(1).request));
    CHECK_FALSE(calls.begin(Call(2).request));
    CHECK(calls.begin(Call(3).request) == R"({"Error":"echelon: too many bind calls wait already"})");
    CHECK_FALSE(calls.begin(Call(7).request));
    CHECK_FALSE(calls.begin(Call(8).request));
    CHECK(calls.begin(Call(9).request) == R"({"Error":"echelon: too many bind calls wait already"})");
    // A plain pod that is bound makes no room for members, one of them does.
    CHECK(calls.answer({.call = backend.calls()[2], .result = engine::BindResult::ok, .error = ""}));
    CHECK(calls.begin(Call(3).request));
    calls.gone({2, 1});
    CHECK_FALSE(calls.begin(Call(3).request));
    CHECK(calls.begin(Call(4).request));
}

TEST_CASE("a call ends once: by answer or by its caller, whichever is first") {
    FakeBackend backend;
    auto callbacks = backend.as_backend();
    Metrics metrics;
    BindCalls calls(callbacks, metrics);
    CHECK_FALSE(calls.begin(Call(1).request));
    CHECK_FALSE(calls.begin(Call(2).request));
    calls.gone({1, 1});
    CHECK_FALSE(calls.answer({.call = backend.calls()[0], .result = engine::BindResult::ok, .error = ""}));
    CHECK(calls.answer({.call = backend.calls()[1], .result = engine::BindResult::ok, .error = ""}));
    calls.gone({2, 1});
    calls.gone({1, 1});
    CHECK(backend.gone() == 1);
    CHECK(calls.waiting() == 0);
}

}  // namespace echelon::server

// `echelon ready` against a server with scripted answers.

#include "cli/ready.hpp"

#include <atomic>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <httplib.h>

using namespace echelon;

namespace {

// Answers "not ready" to the first few questions.
class Door {
public:
    explicit Door(int refusals) : refusals_(refusals) {
        server_.Get("/readyz", [this](const httplib::Request&, httplib::Response& answer) {
            const bool is_ready = asked_++ >= refusals_;
            answer.status = is_ready ? 200 : 503;
            answer.set_content(is_ready ? "ok\n" : "[-]sync: not listed yet: pods\n[-]drain: shutting down\n",
                               "text/plain");
        });
        port_ = server_.bind_to_any_port("127.0.0.1");
        thread_ = std::jthread([this] { server_.listen_after_bind(); });
        while (!server_.is_running())
            std::this_thread::yield();
    }
    ~Door() { server_.stop(); }
    Door(const Door&) = delete;
    Door& operator=(const Door&) = delete;

    [[nodiscard]] std::string address() const { return fmt::format("http://127.0.0.1:{}", port_); }
    [[nodiscard]] int asked() const { return asked_; }

private:
    const int refusals_;
    std::atomic<int> asked_ = 0;
    httplib::Server server_;
    int port_ = 0;
    std::jthread thread_;
};

constexpr int patience_seconds = 20;

}  // namespace

TEST_CASE("echelon ready says what isn't ready, on one line") {
    const Door door(1);
    const auto said = cli::query_readiness({.server = door.address()});
    REQUIRE_FALSE(said);
    CHECK(said.error().sentence == "not ready: [-]sync: not listed yet: pods;[-]drain: shutting down");
    CHECK(door.asked() == 1);
    CHECK(cli::query_readiness({.server = door.address()}).value() == "ok\n");
}

TEST_CASE("echelon ready asks again while it may wait") {
    const Door door(2);
    CHECK(cli::query_readiness({.server = door.address(), .wait_seconds = patience_seconds}).value() == "ok\n");
    CHECK(door.asked() == 3);
}

TEST_CASE("echelon ready names the address that doesn't answer") {
    std::string address;
    {
        const Door door(0);
        address = door.address();
    }
    const auto said = cli::query_readiness({.server = address});
    REQUIRE_FALSE(said);
    CHECK(said.error().sentence.starts_with("the service doesn't answer at " + address));
    CHECK_FALSE(cli::query_readiness({.server = "gopher://here"}));
}

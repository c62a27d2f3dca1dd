// Requests of operators and of the API server: /debug of the admin port, and the webhook.

#include "server/extender/extender.hpp"
#include "unit-tests/server/authority.hpp"
#include "unit-tests/server/edge.hpp"
#include "unit-tests/server/wire.hpp"
#include "unit-tests/support/becomes_true.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

namespace echelon::server {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

std::optional<Heard> look(int port, std::string_view target, std::string_view accept = "application/json") {
    return ask(port, fmt::format("GET {} HTTP/1.1\r\nHost: a\r\nAccept: {}\r\n\r\n", target, accept));
}

std::optional<Heard> put(int port, std::string_view target, std::string_view body) {
    return ask(port,
               fmt::format("PUT {} HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{}", target, body.size(), body));
}

// A server whose other endpoints echo their requests.
struct Views {
    explicit Views(config::Settings settings = {}) {
        settings.extender = settings.bind = settings.admin = {"127.0.0.1", 0};
        auto callbacks = backend.as_backend();
        callbacks.query_state = [this](const Backend::StateQuery& look,
                                       const Backend::StateReply& reply) -> base::Result<void> {
            if (is_busy)
                return base::failure("busy");
            reply(fmt::format("{}{}{}", look.what, look.is_text ? " text" : "", look.has_colour ? " colour" : ""));
            return {};
        };
        callbacks.log_level = [this](std::string_view word) -> base::Result<std::string> {
            if (word == "loud")
                return base::failure("no such level");
            if (!word.empty())
                level = word;
            return level;
        };
        callbacks.admit = [](std::string_view review) -> base::Result<std::string> {
            if (review.empty())
                return base::failure("no review");
            return std::string(review.rbegin(), review.rend());
        };
        callbacks.plan = [this](const Backend::PlanCall& call, const auto& reply) {
            if (is_busy)
                return reply({429, "busy"});
            reply({200, fmt::format("{}|{}|{}{}{}", call.manifests, call.gang, call.is_text ? " text" : "",
                                    call.has_colour ? " colour" : "", call.preempts ? " preempt" : "")});
        };
        auto started = Server::start(settings, std::move(callbacks));
        if (!started)
            FAIL(started.error().sentence);
        server = std::move(*started);
    }
    [[nodiscard]] int port(std::size_t at) const { return server->ports().at(at); }

    FakeBackend backend;
    bool is_busy = false;
    std::string level = "info";
    std::unique_ptr<Server> server;
};

}  // namespace

TEST_CASE("manifests are posted, with what a caller wants of the plan; a busy service says when to ask again (Z40)") {
    Views views;
    const auto admin = views.port(2);
    const auto posted = [&](std::string_view target, std::string_view more, std::string_view body) {
        return ask(admin, fmt::format("POST {} HTTP/1.1\r\nHost: a\r\n{}Content-Length: {}\r\n\r\n{}", target, more,
                                      body.size(), body));
    };
    const auto json = posted("/v1/plan", "", "a: 1");
    CHECK(json->body == "a: 1||");
    CHECK(json->headers.at("content-type").starts_with("application/json"));
    CHECK(posted("/v1/plan?gang=default/a&preempt=1&colour=1", "Accept: text/plain\r\n", "")->body ==
          "|default/a| text colour preempt");
    const auto got = look(admin, "/v1/plan");
    CHECK(got->status == 405);
    CHECK(got->headers.at("allow") == "POST");
    const auto misspelt = posted("/v1/plan?premept=1", "", "a: 1");
    CHECK(misspelt->status == 400);
    CHECK(misspelt->body == "parameter \"premept\" isn't known: a plan has gang, preempt and colour\n");
    CHECK(posted("/v1/plan?preempt=yes", "", "a: 1")->body == "preempt must be 1 or 0, not \"yes\"\n");
    CHECK(posted("/v1/plan?preempt=0", "", "a: 1")->status == 200);
    views.is_busy = true;
    const auto refused = posted("/v1/plan", "", "a: 1");
    CHECK(refused->status == 429);
    CHECK(refused->headers.at("retry-after") == "1");
    CHECK(refused->body == "busy\n");
}

TEST_CASE("each view is shown as JSON, as text on request, and in colour on request") {
    Views views;
    const auto admin = views.port(2);
    CHECK(look(admin, "/debug/topology")->body == "topology");
    CHECK(look(admin, "/debug/holds")->headers.at("content-type").starts_with("application/json"));
    const auto text = look(admin, "/debug/holds?colour=1", "text/plain");
    CHECK(text->body == "holds text colour");
    CHECK(text->headers.at("content-type").starts_with("text/plain"));
    CHECK(look(admin, "/debug/status", "text/plain")->body == "status text");
    CHECK(look(admin, "/debug/snapshot")->body == "snapshot");
    CHECK(nlohmann::json::parse(look(admin, "/debug/state")->body).contains("gangs"));
    CHECK(look(admin, "/debug/other")->status == 404);
    CHECK(ask(admin, post("/debug/holds", "{}"))->status == 405);
    views.is_busy = true;
    CHECK(look(admin, "/debug/holds")->status == 503);
    CHECK(look(admin, "/debug/holds")->body == "busy\n");
}

TEST_CASE("each thread is listed by name") {
    Views views;
    const auto names = [&] {
        const auto json = nlohmann::json::parse(look(views.port(2), "/debug/threads")->body);
        std::map<std::string, int> count;
        for (const auto& thread : json.at("threads")) {
            CHECK(thread.at("id").get<int>() > 0);
            CHECK(thread.at("cpuSeconds").is_number());
            ++count[thread.at("name").get<std::string>()];
        }
        return std::pair(count["listener"], count["http"]);
    };
    // A thread says its name when it has begun.
    CHECK(support::becomes_true([&] { return names() == std::pair(3, 10); }));
    CHECK(ask(views.port(2), post("/debug/threads", "{}"))->status == 405);
}

TEST_CASE("views without a source are not found") {
    Edge edge;
    CHECK(look(edge.admin(), "/debug/holds")->status == 503);
    CHECK(look(edge.admin(), "/debug/loglevel")->status == 503);
}

TEST_CASE("the log level is shown and set") {
    Views views;
    const auto admin = views.port(2);
    CHECK(look(admin, "/debug/loglevel")->body == "info\n");
    CHECK(put(admin, "/debug/loglevel", "debug\n")->body == "debug\n");
    CHECK(look(admin, "/debug/loglevel")->body == "debug\n");
    const auto refused = put(admin, "/debug/loglevel", "loud");
    CHECK(refused->status == 400);
    CHECK(refused->body == "no such level\n");
    CHECK(put(admin, "/debug/loglevel", "")->status == 400);
    CHECK(ask(admin, post("/debug/loglevel", "debug"))->status == 405);
    CHECK(put(admin, "/debug/holds", "x")->status == 405);
    CHECK(put(views.port(0), "/v1/filter", "{}")->status == 405);
    CHECK(views.level == "debug");
}

TEST_CASE("topologies are shown, stored and deleted at the admin port, and no other way") {
    config::Settings settings;
    settings.extender = settings.bind = settings.admin = {"127.0.0.1", 0};
    FakeBackend backend;
    auto callbacks = backend.as_backend();
    callbacks.topology = [](const Backend::TopologyCall& call, const auto& reply) {
        using Deed = Backend::TopologyCall::Verb;
        if (call.name == "bad")
            return reply({400, "instances: must be a list, not 7\n"});
        const auto* verb = call.verb == Deed::keep ? "keep" : call.verb == Deed::forget ? "forget" : "show";
        reply({200, fmt::format("{} {} {}", verb, call.name, call.document)});
    };
    auto server = Server::start(settings, std::move(callbacks));
    REQUIRE(server);
    const auto admin = (*server)->ports().at(2);
    CHECK(look(admin, "/v1/topology/fabric")->body == "show fabric ");
    CHECK(look(admin, "/v1/topology/a%2Fb")->body == "show a/b ");
    const auto kept = put(admin, "/v1/topology/fabric", "{}");
    CHECK(kept->status == 200);
    CHECK(kept->body == "keep fabric {}");
    CHECK(kept->headers.at("content-type").starts_with("application/json"));
    CHECK(ask(admin, "DELETE /v1/topology/fabric HTTP/1.1\r\nHost: a\r\n\r\n")->body == "forget fabric ");
    const auto refused = put(admin, "/v1/topology/bad", "{}");
    CHECK(refused->status == 400);
    CHECK(refused->body == "instances: must be a list, not 7\n");
    CHECK(refused->headers.at("content-type").starts_with("text/plain"));
    CHECK(ask(admin, post("/v1/topology/fabric", "{}"))->status == 405);
    CHECK(ask(admin, "DELETE /metrics HTTP/1.1\r\nHost: a\r\n\r\n")->status == 405);
    CHECK(ask(admin, "DELETE /debug/loglevel HTTP/1.1\r\nHost: a\r\n\r\n")->status == 405);
    CHECK(put((*server)->ports().at(0), "/v1/topology/fabric", "{}")->status == 404);
    // Without a topology store.
    Edge edge;
    CHECK(put(edge.admin(), "/v1/topology/fabric", "{}")->status == 503);
}

TEST_CASE("the last requests are listed with pod, result and the id that their callers got") {
    Views views;
    const auto filtered = ask(views.port(0), post("/v1/filter", filter_args("u1", R"(["n1"])")));
    CHECK(ask(views.port(0), post("/v1/filter", "garbage"))->status == 200);
    Wire caller(views.port(1));
    REQUIRE(caller.send(post("/v1/bind", bind_args("u1", "n1"))));
    REQUIRE(views.backend.await_calls(1));
    views.server->answer(
        {.call = views.backend.calls().front(), .result = engine::BindResult::rejected, .error = "no"});
    const auto bound = caller.hear();
    REQUIRE(bound);
    const auto json = nlohmann::json::parse(look(views.port(2), "/debug/requests")->body);
    REQUIRE(json.at("last").size() == 3);
    const auto& bind = json.at("last").at(0);
    CHECK(bind.at("verb") == "bind");
    CHECK(bind.at("pod") == "default/train-0");
    CHECK(bind.at("result") == "rejected");
    CHECK(bind.at("id") == bound->headers.at("x-request-id"));
    CHECK(json.at("last").at(1).at("result") == "bad_request");
    const auto& filter = json.at("last").at(2);
    CHECK(filter.at("pod") == "default/train-0");
    CHECK(filter.at("id") == filtered->headers.at("x-request-id"));
    CHECK(filter.at("microseconds").is_number_integer());
    CHECK(json.at("slow").empty());
}

TEST_CASE("no more than a thousand requests are kept") {
    Views views;
    Wire caller(views.port(0));
    for (int at = 0; at < 1010; ++at) {
        REQUIRE(caller.send(post("/v1/prioritize", "{}")));
        REQUIRE(caller.hear());
    }
    const auto json = nlohmann::json::parse(look(views.port(2), "/debug/requests")->body);
    CHECK(json.at("last").size() == 1000);
}

TEST_CASE("the webhook answers over TLS, with no certificate of the caller unless a CA is named") {
    Authority authority;
    const auto identity = authority.sign("echelon", "DNS:localhost");
    for (const bool is_strict : {false, true}) {
        config::Settings settings;
        settings.webhook = config::Webhook{.address = {"127.0.0.1", 0},
                                           .cert_file = identity.cert_file,
                                           .key_file = identity.key_file,
                                           .client_ca_file = is_strict ? authority.ca_file() : std::string()};
        const Views views(settings);
        REQUIRE(views.server->ports().size() == 4);
        httplib::SSLClient stranger("localhost", views.port(3));
        stranger.set_ca_cert_path(authority.ca_file().c_str());
        stranger.enable_server_certificate_verification(true);
        stranger.set_address_family(AF_INET);
        const auto answer = stranger.Post("/v1/admit", "abc", "application/json");
        if (is_strict) {
            CHECK_FALSE(answer);
            const auto known = authority.sign("api-server");
            httplib::SSLClient caller("localhost", views.port(3), known.cert_file, known.key_file);
            caller.set_ca_cert_path(authority.ca_file().c_str());
            caller.enable_server_certificate_verification(true);
            caller.set_address_family(AF_INET);
            const auto admitted = caller.Post("/v1/admit", "abc", "application/json");
            REQUIRE(admitted);
            CHECK(admitted->body == "cba");
            continue;
        }
        REQUIRE(answer);
        CHECK(answer->status == 200);
        CHECK(answer->body == "cba");
        CHECK(stranger.Post("/v1/admit", "", "application/json")->status == 400);
        CHECK(stranger.Get("/v1/admit")->status == 405);
        CHECK(stranger.Get("/metrics")->status == 404);
    }
}

}  // namespace echelon::server

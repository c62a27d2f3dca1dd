#include "server/http/tls_context.hpp"

#include "unit-tests/server/authority.hpp"
#include "unit-tests/server/edge.hpp"
#include "unit-tests/server/wire.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <httplib.h>

namespace echelon::server {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

std::unique_ptr<httplib::SSLClient> caller(const Authority& authority, int port, const Identity& identity) {
    auto client = std::make_unique<httplib::SSLClient>("localhost", port, identity.cert_file, identity.key_file);
    client->set_ca_cert_path(authority.ca_file().c_str());
    client->enable_server_certificate_verification(true);
    client->set_address_family(AF_INET);
    client->set_connection_timeout(20);
    client->set_read_timeout(20);
    return client;
}

httplib::Result filter(httplib::SSLClient& client) {
    return client.Post("/v1/filter", filter_args("u1", R"(["n1"])"), "application/json");
}

// Puts the content of one file in the place of another, as a mounted Secret does: never half of it.
void replace(const std::string& file, const std::string& with) {
    std::filesystem::copy_file(with, file + ".new", std::filesystem::copy_options::overwrite_existing);
    std::filesystem::rename(file + ".new", file);
}

// The server's files, none of which a caller reads.
config::Tls own_files(Authority& authority) {
    auto tls = authority.server({"kube-scheduler"});
    const auto copy = tls.client_ca_file + ".server";
    std::filesystem::copy_file(tls.client_ca_file, copy);
    tls.client_ca_file = copy;
    return tls;
}

double reloads(const Edge& edge, const std::string& result) {
    const auto scrape = ask(edge.admin(), "GET /metrics HTTP/1.1\r\n\r\n");
    const auto line = "echelon_tls_reloads_total{result=\"" + result + "\"} ";
    const auto at = scrape ? scrape->body.find(line) : std::string::npos;
    return at == std::string::npos ? -1 : std::stod(scrape->body.substr(at + line.size()));
}

}  // namespace

TEST_CASE("a caller whose certificate bears an allowed name is served, by common or alternative name") {
    Authority authority;
    Edge edge(authority.server({"kube-scheduler", "spiffe://a/b", "10.1.2.3", "2001:db8::1"}));
    for (const auto& identity :
         {authority.sign("kube-scheduler"), authority.sign("other", "DNS:kube-scheduler"),
          authority.sign("other", "DNS:x,URI:spiffe://a/b"), authority.sign("other", "DNS:x,IP:10.1.2.3"),
          authority.sign("other", "IP:2001:db8:0:0:0:0:0:1")}) {
        auto client = caller(authority, edge.extender(), identity);
        client->set_keep_alive(true);
        for (int at = 0; at < 3; ++at) {
            auto answer = filter(*client);
            REQUIRE(answer);
            CHECK(answer->status == 200);
            CHECK(answer->body == R"({"NodeNames":["n1"],"Error":""})");
        }
    }
}

TEST_CASE("a certificate of the CA without an allowed name gets status 403") {
    Authority authority;
    Edge edge(authority.server({"kube-scheduler"}));
    for (const auto& identity :
         {authority.sign("kube-schedule"), authority.sign("kube-scheduler2"),
          authority.sign("x", "DNS:*.kube-scheduler,DNS:kube-scheduler.evil"), authority.sign("x", "IP:10.1.2.3")}) {
        auto answer = filter(*caller(authority, edge.extender(), identity));
        REQUIRE(answer);
        CHECK(answer->status == 403);
    }
    CHECK(edge.backend.filtered().empty());
}

TEST_CASE("callers of another CA, without a certificate or without TLS get no answer") {
    Authority authority;
    Authority stranger;
    Edge edge(authority.server());
    CHECK_FALSE(filter(*caller(authority, edge.extender(), stranger.sign("kube-scheduler"))));
    httplib::SSLClient nobody("localhost", edge.extender());
    nobody.set_ca_cert_path(authority.ca_file().c_str());
    nobody.set_address_family(AF_INET);
    CHECK_FALSE(nobody.Post("/v1/filter", "{}", "application/json"));
    Wire plain(edge.extender());
    plain.send(post("/v1/filter", "{}"));
    CHECK_FALSE(plain.hear());
    CHECK(edge.backend.filtered().empty());
    // The admin port stays plain.
    CHECK(ask(edge.admin(), "GET /livez HTTP/1.1\r\n\r\n")->status == 200);
}

TEST_CASE("without allowed names every certificate of the CA is served") {
    Authority authority;
    Edge edge(authority.server());
    auto answer = filter(*caller(authority, edge.extender(), authority.sign("whoever")));
    REQUIRE(answer);
    CHECK(answer->status == 200);
}

TEST_CASE("large bodies pass over TLS both ways") {
    Authority authority;
    Edge edge(authority.server());
    auto client = caller(authority, edge.extender(), authority.sign("kube-scheduler"));
    auto many = names(15'000);
    auto answer = client->Post("/v1/filter", filter_args("u1", many), "application/json");
    REQUIRE(answer);
    CHECK(answer->body == R"({"NodeNames":)" + many + R"(,"Error":""})");
}

TEST_CASE("a bind caller that hangs up is noticed over TLS") {
    Authority authority;
    Edge edge(authority.server());
    auto client = caller(authority, edge.bind(), authority.sign("kube-scheduler"));
    client->set_read_timeout(0, 100'000);
    CHECK_FALSE(client->Post("/v1/bind", bind_args("u1", "n1"), "application/json"));
    REQUIRE(edge.backend.await_calls(1));
    CHECK(edge.backend.await_gone(1));
}

TEST_CASE("a bind over TLS gets its late answer") {
    Authority authority;
    Edge edge(authority.server());
    std::jthread engine([&] {
        if (!edge.backend.await_calls(1))
            return;
        edge.server->answer({.call = edge.backend.calls().at(0), .result = engine::BindResult::ok, .error = ""});
    });
    auto answer = caller(authority, edge.bind(), authority.sign("kube-scheduler"))
                      ->Post("/v1/bind", bind_args("u1", "n1"), "application/json");
    REQUIRE(answer);
    CHECK(answer->body == R"({"Error":""})");
}

TEST_CASE("stalled handshakes hold no worker") {
    Authority authority;
    Edge edge(authority.server());
    std::vector<Wire> stalled;
    for (int at = 0; at < 100; ++at) {
        stalled.emplace_back(edge.extender());
        if (at % 2 == 0)
            stalled.back().send("\x16\x03\x01");
    }
    auto answer = filter(*caller(authority, edge.extender(), authority.sign("kube-scheduler")));
    REQUIRE(answer);
    CHECK(answer->status == 200);
}

TEST_CASE("changed TLS files are taken up without a restart, for new connections") {
    Authority authority;
    Authority successor;
    const auto tls = own_files(authority);
    Edge edge(tls);
    const auto old_caller = authority.sign("kube-scheduler");
    const auto new_caller = successor.sign("kube-scheduler");
    auto open = caller(authority, edge.extender(), old_caller);
    open->set_keep_alive(true);
    REQUIRE(filter(*open));
    CHECK(edge.server->reload_tls().value() == false);

    const auto next = successor.server();
    replace(tls.cert_file, next.cert_file);
    replace(tls.key_file, next.key_file);
    replace(tls.client_ca_file, next.client_ca_file);
    CHECK_FALSE(filter(*caller(successor, edge.extender(), new_caller)));  // No reload() yet.
    CHECK(edge.server->reload_tls().value() == true);
    CHECK(edge.server->reload_tls().value() == false);
    REQUIRE(filter(*caller(successor, edge.extender(), new_caller)));
    CHECK_FALSE(filter(*caller(authority, edge.extender(), old_caller)));
    CHECK(filter(*open));  // An open connection stays open.
    CHECK(reloads(edge, "ok") == 1);
    CHECK(reloads(edge, "error") == 0);
}

TEST_CASE("unusable TLS files leave the old ones in place, and are tried once") {
    Authority authority;
    const auto tls = own_files(authority);
    Edge edge(tls);
    const auto identity = authority.sign("kube-scheduler");
    const auto other = authority.sign("other");
    replace(tls.key_file, other.key_file);  // Half of a change: the certificate still is the old one.
    const auto refused = edge.server->reload_tls();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().sentence.starts_with("tls.keyFile "));
    CHECK(edge.server->reload_tls().value() == false);
    CHECK(filter(*caller(authority, edge.extender(), identity)));
    std::filesystem::remove(tls.client_ca_file);
    CHECK_FALSE(edge.server->reload_tls());
    CHECK(filter(*caller(authority, edge.extender(), identity)));
    CHECK(reloads(edge, "error") == 2);
    CHECK(reloads(edge, "ok") == 0);
}

TEST_CASE("plain ports have no files to take up") {
    Edge edge;
    CHECK(edge.server->reload_tls().value() == false);
}

TEST_CASE("a TLS file that can't be used stops the start with its key and name") {
    Authority authority;
    auto good = authority.server();
    auto fault = [](const config::Tls& tls) {
        auto loaded = TlsContext::load(tls);
        return loaded ? std::string("loaded") : loaded.error().sentence;
    };
    CHECK(fault(good) == "loaded");
    auto tls = good;
    tls.cert_file = "/nowhere/tls.crt";
    CHECK(fault(tls).starts_with("tls.certFile \"/nowhere/tls.crt\": "));
    tls = good;
    tls.key_file = authority.sign("other").key_file;
    CHECK(fault(tls).starts_with("tls.keyFile "));
    tls = good;
    tls.client_ca_file = good.key_file;
    CHECK(fault(tls).starts_with("tls.clientCAFile "));
    tls.client_ca_file = "";
    tls.allowed_names = {"kube-scheduler"};
    CHECK(fault(tls) == "tls.clientCAFile: is missing");
}

TEST_CASE("on loopback callers need no certificate if no CA is configured") {
    Authority authority;
    auto tls = authority.server();
    tls.client_ca_file = "";
    Edge edge(tls);
    httplib::SSLClient nobody("localhost", edge.extender());
    nobody.set_ca_cert_path(authority.ca_file().c_str());
    nobody.enable_server_certificate_verification(true);
    nobody.set_address_family(AF_INET);
    const auto answer = filter(nobody);
    REQUIRE(answer);
    CHECK(answer->status == 200);
    // Plain HTTP still gets no answer.
    Wire plain(edge.extender());
    plain.send(post("/v1/filter", "{}"));
    CHECK_FALSE(plain.hear());
}

TEST_CASE("the TLS files of all ports are checked, and the reason of the system is named") {
    Authority authority;
    config::Settings settings;
    CHECK(check_tls_files(settings));
    settings.tls = authority.server();
    const auto own = authority.sign("echelon");
    settings.webhook = config::Webhook{
        .address = {"127.0.0.1", 0}, .cert_file = own.cert_file, .key_file = own.key_file, .client_ca_file = {}};
    CHECK(check_tls_files(settings));
    const auto fault = [&settings] {
        const auto usable = check_tls_files(settings);
        return usable ? std::string("usable") : usable.error().sentence;
    };
    settings.webhook->key_file = "/nowhere/hook.key";
    CHECK(fault() == "webhook: tls.keyFile \"/nowhere/hook.key\": No such file or directory");
    settings.tls->client_ca_file = "/nowhere/ca.crt";
    CHECK(fault() == "tls.clientCAFile \"/nowhere/ca.crt\": No such file or directory");
    settings.tls->cert_file = "/nowhere/tls.crt";
    CHECK(fault() == "tls.certFile \"/nowhere/tls.crt\": No such file or directory");
}

}  // namespace echelon::server

// What do requests over TLS do when the server stalls, reads slowly, or wants another certificate?

#include "kube/client/tls_connection.hpp"

#include "kube/client/http_client.hpp"
#include "unit-tests/kube/fake_apiserver.hpp"
#include "unit-tests/kube/support/cutting_relay.hpp"
#include "unit-tests/kube/test_files.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>
#include <httplib.h>
#include <openssl/ssl.h>

namespace echelon::kube {
namespace {

using Ending = HttpAnswer::Ending;

constexpr std::chrono::milliseconds silence{200};
constexpr std::size_t half_a_record = 40;  // The header, and some of the content.

std::unique_ptr<httplib::Server> tls_server(const TestCertificate& own) {
    return std::make_unique<httplib::SSLServer>(own.certificate.get(), own.key.get());
}

std::shared_ptr<Credentials> credentials_for(const std::string& scheme, int port) {
    return std::make_shared<Credentials>(
        Endpoint{.scheme = scheme, .host = "127.0.0.1", .port = port, .insecure = scheme == "https"}, "", "");
}

// The request is cancelled if it doesn't end by itself.
Ending ending_of(HttpClient& client, const std::function<HttpAnswer()>& request) {
    auto answer = std::async(std::launch::async, request);
    if (answer.wait_for(test_patience) != std::future_status::ready)
        client.cancel();
    return answer.get().ending;
}

TEST_CASE("a server that falls silent inside a record is noticed, in a header and in a stream") {
    const TestCertificate own("IP:127.0.0.1");
    for (const std::string scheme : {"http", "https"}) {
        CAPTURE(scheme);
        std::promise<void> is_cut;
        std::atomic<FakeApiServer*> self = nullptr;
        FakeApiServer server(
            [&](const httplib::Request& request, httplib::Response& response) {
                if (request.path != "/stream")
                    return response.set_content("{}", "application/json");
                response.set_chunked_content_provider("text/plain", [&](std::size_t offset, httplib::DataSink& sink) {
                    const std::string piece(1000, 'x');
                    if (offset == 0)
                        return sink.write(piece.data(), piece.size());
                    is_cut.get_future().wait_for(test_patience);
                    sink.write(piece.data(), piece.size());
                    self.load()->hang();
                    return false;  // The server may still be running, and would ask for one piece more.
                });
            },
            scheme == "https" ? tls_server(own) : std::make_unique<httplib::Server>());
        self = &server;
        CuttingRelay relay(server.port());
        HttpClient client(credentials_for(scheme, relay.port()));
        CHECK(client.send({.target = "/"}).succeeded());
        relay.cut_next(half_a_record);
        CHECK(ending_of(client, [&] { return client.send({.target = "/", .silence = silence}); }) == Ending::silent);
        CHECK(client.send({.target = "/"}).succeeded());
        bool is_first = true;
        const auto stream = [&] {
            return client.stream({.target = "/stream", .silence = silence}, [&](std::string_view) {
                if (std::exchange(is_first, false)) {
                    relay.cut_next(half_a_record);
                    is_cut.set_value();
                }
                return true;
            });
        };
        CHECK(ending_of(client, stream) == Ending::silent);
        CHECK(client.send({.target = "/"}).succeeded());
    }
}

TEST_CASE("large requests and answers pass over TLS, however slowly the other side reads") {
    const TestCertificate own("IP:127.0.0.1");
    const std::string large(std::size_t{16} << 20, 'x');  // More than the buffers of the sockets.
    FakeApiServer server([](const httplib::Request& request,
                            httplib::Response& response) { response.set_content(request.body, "application/json"); },
                         tls_server(own));
    HttpClient client(credentials_for("https", server.port()));
    const HttpAnswer answer =
        client.send({.method = "PATCH", .target = "/", .body = large, .content_type = "application/json"});
    CHECK(answer.succeeded());
    CHECK(answer.body == large);
}

// The API server judges the certificate of a connection anew for each request.
TEST_CASE("a client certificate that expired is read again and the request repeated once") {
    const TestCertificate server_certificate("IP:127.0.0.1");
    const TestCertificate old_one("DNS:old");
    const TestCertificate new_one("DNS:new");
    const TestFolder folder;
    const auto put = [&folder](const TestCertificate& which) {
        return Endpoint{.scheme = "https",
                        .host = "127.0.0.1",
                        .client_cert_file = folder.write("client.crt", which.certificate_pem()),
                        .client_key_file = folder.write("client.key", which.key_pem()),
                        .insecure = true};
    };
    FakeApiServer server(
        [&](const httplib::Request& request, httplib::Response& response) {
            const std::unique_ptr<X509, decltype(&X509_free)> shown(SSL_get1_peer_certificate(request.ssl), &X509_free);
            response.status = X509_cmp(shown.get(), new_one.certificate.get()) == 0 ? 200 : 401;
        },
        std::make_unique<httplib::SSLServer>([&](SSL_CTX& context) {
            SSL_CTX_use_certificate(&context, server_certificate.certificate.get());
            SSL_CTX_use_PrivateKey(&context, server_certificate.key.get());
            SSL_CTX_set_verify(&context, SSL_VERIFY_PEER, [](int, X509_STORE_CTX*) { return 1; });
            return true;
        }));
    Endpoint endpoint = put(old_one);
    endpoint.port = server.port();
    HttpClient client(std::make_shared<Credentials>(endpoint, "", ""));
    CHECK(client.send({.target = "/"}).status == 401);
    CHECK(server.seen.all().size() == 2);
    put(new_one);
    CHECK(client.send({.target = "/"}).status == 200);
    CHECK(client.send({.target = "/"}).status == 200);
    CHECK(server.seen.all().size() == 5);
}

TEST_CASE("a certificate for another address or alternative name is refused, whatever its common name is") {
    struct Row {
        const char* names;
        const char* common_name;
        const char* host;
        bool works;
    };
    const Row rows[] = {
        {"IP:::1", "test", "127.0.0.1", false},
        {"IP:10.0.0.1", "127.0.0.1", "127.0.0.1", false},
        {"DNS:other.example", "localhost", "localhost", false},
        {"DNS:localhost", "test", "localhost", true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.names);
        const TestCertificate shown(row.names, row.common_name);
        const TestFolder folder;
        const std::string file = folder.write("ca.pem", shown.certificate_pem());
        FakeApiServer server([](const auto&, auto&) {}, tls_server(shown));
        HttpClient client(std::make_shared<Credentials>(
            Endpoint{.scheme = "https", .host = row.host, .port = server.port(), .ca_file = file}, "", ""));
        for (int i = 0; i < 4; ++i)
            CHECK(client.send({.target = "/"}).succeeded() == row.works);
    }
}

}  // namespace
}  // namespace echelon::kube

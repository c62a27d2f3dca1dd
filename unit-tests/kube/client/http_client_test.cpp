#include "kube/client/http_client.hpp"

#include "unit-tests/kube/fake_apiserver.hpp"
#include "unit-tests/kube/test_files.hpp"

#include <atomic>
#include <future>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace echelon::kube {
namespace {

using Ending = HttpAnswer::Ending;
using Then = FakeApiServer::Then;

constexpr std::chrono::hours for_ever{24};

// A port on which no program accepts connections; `answers` false: the kernel doesn't accept them either.
class SilentPort {
public:
    explicit SilentPort(bool answers) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        REQUIRE(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) == 0);
        REQUIRE(::listen(listener_, answers ? 16 : 0) == 0);
        REQUIRE(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
        port_ = ntohs(address.sin_port);
        for (int i = 0; !answers && i < 4; ++i) {
            const int filler = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
            static_cast<void>(::connect(filler, reinterpret_cast<const sockaddr*>(&address), size));
            fillers_.push_back(filler);
        }
    }
    ~SilentPort() {
        for (const int each : fillers_)
            ::close(each);
        ::close(listener_);
    }
    SilentPort(const SilentPort&) = delete;
    SilentPort& operator=(const SilentPort&) = delete;
    [[nodiscard]] int port() const { return port_; }

private:
    int listener_ = -1;
    int port_ = 0;
    std::vector<int> fillers_;
};

std::shared_ptr<Credentials> credentials_for(Endpoint endpoint) {
    endpoint.host = endpoint.host.empty() ? "127.0.0.1" : endpoint.host;
    return std::make_shared<Credentials>(endpoint, "", "");
}

void answer_yes(const httplib::Request&, httplib::Response& response) {
    response.set_content("{\"yes\":1}", "application/json");
}

TEST_CASE("a request reaches the server as it was given, with token, type and body") {
    FakeApiServer server(answer_yes);
    HttpClient client(server.credentials("secret"));
    const HttpAnswer answer = client.send({.method = "PATCH",
                                           .target = "/api/v1/pods/a%2Fb?x=1%262",
                                           .body = "{}",
                                           .content_type = "application/merge-patch+json"});
    CHECK(answer.succeeded());
    CHECK(answer.body == "{\"yes\":1}");
    const SeenRequest seen = server.seen.all().at(0);
    CHECK(seen.method == "PATCH");
    CHECK(seen.target == "/api/v1/pods/a%2Fb?x=1%262");
    CHECK(seen.body == "{}");
    CHECK(seen.content_type == "application/merge-patch+json");
    CHECK(seen.authorization == "Bearer secret");
    CHECK(seen.accept_encoding.empty());
}

TEST_CASE("one connection serves many requests, and each status is an ordinary answer") {
    Happenings<int> ports;
    FakeApiServer server([&](const httplib::Request& request, httplib::Response& response) {
        ports.add(request.remote_port);
        response.status = std::stoi(request.path.substr(1));
        response.set_header("Retry-After", request.path == "/500" ? "3600" : "7");
        response.set_content("why", "text/plain");
    });
    HttpClient client(server.credentials());
    for (const int status : {200, 404, 409, 422, 429, 500}) {
        const HttpAnswer answer = client.send({.target = "/" + std::to_string(status)});
        CHECK(answer.ending == Ending::complete);
        CHECK(answer.status == status);
        CHECK(answer.body == "why");
        CHECK(answer.retry_after == std::chrono::seconds(status == 500 ? 60 : 7));
        CHECK(answer.succeeded() == (status == 200));
    }
    const std::vector<int> all = ports.all();
    CHECK(std::ranges::count(all, all.front()) == 6);
}

TEST_CASE("a connection that was idle for too long isn't used again") {
    Happenings<int> ports;
    FakeApiServer server([&](const httplib::Request& request, httplib::Response&) { ports.add(request.remote_port); });
    HttpClient client(server.credentials());
    CHECK(client.send({.target = "/"}).succeeded());
    CHECK(client.send({.target = "/", .reuse = std::chrono::milliseconds(0)}).succeeded());
    CHECK(client.send({.target = "/"}).succeeded());
    const std::vector<int> all = ports.all();
    CHECK(all.at(0) != all.at(1));
    CHECK(all.at(1) == all.at(2));
}

TEST_CASE("a compressed answer comes out plain") {
    const std::string text = "{\"a\":\"" + std::string(100'000, 'x') + "\"}";
    FakeApiServer server(
        [&](const httplib::Request&, httplib::Response& response) { response.set_content(text, "application/json"); });
    HttpClient client(server.credentials());
    std::string received;
    const HttpAnswer answer = client.stream({.target = "/", .compressed = true}, [&](std::string_view data) {
        received.append(data);
        return true;
    });
    CHECK(answer.succeeded());
    CHECK(received == text);
    CHECK(server.seen.all().at(0).accept_encoding == "gzip");
}

TEST_CASE("a token that expired is read again and the request repeated once") {
    const TestFolder folder;
    const std::string file = folder.write("token", "old\n");
    FakeApiServer server([&](const httplib::Request& request, httplib::Response& response) {
        response.status = request.get_header_value("Authorization") == "Bearer new" ? 200 : 401;
    });
    HttpClient client(server.credentials("", file));
    CHECK(client.send({.target = "/"}).status == 401);
    CHECK(server.seen.all().size() == 2);
    folder.write("token", "new\n");
    CHECK(client.send({.target = "/"}).status == 200);
    CHECK(server.seen.all().size() == 4);
    CHECK(client.send({.target = "/"}).status == 200);
    CHECK(server.seen.all().size() == 5);
}

TEST_CASE("a server that refuses what a request accepts is asked for JSON alone from then on, and once only") {
    struct Row {
        std::string_view method;
        std::string_view accept;
        int status;
        bool is_asked_again;
    };
    const Row rows[] = {
        {"GET", "application/x, application/json", 406, true},
        {"GET", "application/x, application/json", 415, true},
        {"PATCH", "application/x, application/json", 406, true},
        {"PATCH", "application/x, application/json", 415, false},
        {"GET", "application/x, application/json", 404, false},
        {"GET", "application/json", 406, false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.method);
        CAPTURE(row.status);
        Happenings<std::string> accepted;
        FakeApiServer server([&](const httplib::Request& request, httplib::Response& response) {
            accepted.add(request.get_header_value("Accept"));
            response.status = row.status;
        });
        HttpClient client(server.credentials());
        const HttpRequest request{.method = std::string(row.method),
                                  .target = "/",
                                  .body = row.method == "GET" ? "" : "{}",
                                  .content_type = row.method == "GET" ? "" : "application/json",
                                  .accept = row.accept};
        CHECK(client.send(request).status == row.status);
        CHECK(client.send(request).status == row.status);
        std::vector<std::string> wanted{std::string(row.accept), "application/json", "application/json"};
        if (!row.is_asked_again)
            wanted.assign(2, std::string(row.accept));
        CHECK(accepted.all() == wanted);
    }
}

TEST_CASE("streams hand on their pieces, and only those of status 200") {
    std::atomic<FakeApiServer*> self = nullptr;
    FakeApiServer server([&](const httplib::Request& request, httplib::Response& response) {
        if (request.path == "/refused")
            response.status = 410;
        self.load()->stream(response, {"one ", "two"}, Then::close);
    });
    self = &server;
    HttpClient client(server.credentials());
    std::string received;
    int opened = 0;
    const Receive take = [&](std::string_view data) {
        received.append(data);
        return true;
    };
    CHECK(client.stream({.target = "/"}, take, [&](std::string_view) { ++opened; }).ending == Ending::complete);
    CHECK(received == "one two");
    CHECK(opened == 1);
    const HttpAnswer refused = client.stream({.target = "/refused"}, take, [&](std::string_view) { ++opened; });
    CHECK(refused.status == 410);
    CHECK(refused.body == "one two");
    CHECK(received == "one two");
    CHECK(opened == 1);
}

TEST_CASE("a stream can break, fall silent or be declined, and the client goes on afterwards") {
    std::atomic<FakeApiServer*> self = nullptr;
    FakeApiServer server([&](const httplib::Request& request, httplib::Response& response) {
        if (request.path == "/yes") {
            answer_yes(request, response);
        } else {
            self.load()->stream(response, {"{\"half"}, request.path == "/reset" ? Then::reset : Then::hang);
        }
    });
    self = &server;
    HttpClient client(server.credentials());
    const auto stream = [&](const std::string& target, bool wanted) {
        return client.stream({.target = target, .silence = std::chrono::milliseconds(200)},
                             [&](std::string_view) { return wanted; });
    };
    CHECK(stream("/reset", true).ending == Ending::broken);
    CHECK(client.send({.target = "/yes"}).succeeded());
    CHECK(stream("/hang", true).ending == Ending::silent);
    CHECK(client.send({.target = "/yes"}).succeeded());
    CHECK(stream("/hang", false).ending == Ending::declined);
    CHECK(client.send({.target = "/yes"}).succeeded());
}

TEST_CASE("a port without a listener is unreachable, with a sentence that names it") {
    int port = 0;
    {
        const SilentPort closed(true);
        port = closed.port();
    }
    HttpClient client(credentials_for({.scheme = "http", .port = port}));
    const HttpAnswer answer = client.send({.target = "/"});
    CHECK(answer.ending == Ending::unreachable);
    CHECK(answer.sentence == fmt::format("no connection to 127.0.0.1:{}", port));
}

TEST_CASE("an API server of IPv6 alone is reached by its address, and its certificate is judged by it") {
    const TestCertificate own("IP:::1");
    const TestCertificate other_name("IP:::2");
    const TestFolder folder;
    const std::string own_file = folder.write("own.pem", own.certificate_pem());
    const std::string other_file = folder.write("other.pem", other_name.certificate_pem());
    Happenings<std::string> hosts;
    const auto note_host = [&](const httplib::Request& request, httplib::Response& response) {
        hosts.add(request.get_header_value("Host"));
        answer_yes(request, response);
    };
    FakeApiServer plain(note_host, std::make_unique<httplib::Server>(), "::1");
    FakeApiServer secure(note_host, std::make_unique<httplib::SSLServer>(own.certificate.get(), own.key.get()), "::1");
    FakeApiServer other(
        note_host, std::make_unique<httplib::SSLServer>(other_name.certificate.get(), other_name.key.get()), "::1");
    HttpClient by_http(credentials_for({.scheme = "http", .host = "::1", .port = plain.port()}));
    CHECK(by_http.send({.target = "/"}).succeeded());
    HttpClient by_https(
        credentials_for({.scheme = "https", .host = "::1", .port = secure.port(), .ca_file = own_file}));
    CHECK(by_https.send({.target = "/"}).succeeded());
    HttpClient refused(
        credentials_for({.scheme = "https", .host = "::1", .port = other.port(), .ca_file = other_file}));
    const HttpAnswer answer = refused.send({.target = "/"});
    CHECK(answer.ending == Ending::unreachable);
    CHECK(answer.sentence.find(fmt::format("[::1]:{}", other.port())) != std::string::npos);
    CHECK(hosts.all() ==
          std::vector<std::string>{fmt::format("[::1]:{}", plain.port()), fmt::format("[::1]:{}", secure.port())});
}

TEST_CASE("a certificate is accepted for the given CA and its own name only") {
    const TestCertificate own("IP:127.0.0.1");
    const TestCertificate stranger("IP:127.0.0.1");
    const TestCertificate other_name("DNS:api.example.org");
    const TestFolder folder;
    const std::string own_file = folder.write("own.pem", own.certificate_pem());
    const std::string stranger_file = folder.write("stranger.pem", stranger.certificate_pem());
    const std::string other_file = folder.write("other.pem", other_name.certificate_pem());
    FakeApiServer server(answer_yes, std::make_unique<httplib::SSLServer>(own.certificate.get(), own.key.get()));
    FakeApiServer other(answer_yes,
                        std::make_unique<httplib::SSLServer>(other_name.certificate.get(), other_name.key.get()));
    struct Row {
        const char* name;
        Endpoint endpoint;
        bool works;
    };
    const Row rows[] = {
        {"right CA", {.scheme = "https", .port = server.port(), .ca_file = own_file}, true},
        {"another CA", {.scheme = "https", .port = server.port(), .ca_file = stranger_file}, false},
        {"the system's CAs", {.scheme = "https", .port = server.port()}, false},
        {"CA file missing", {.scheme = "https", .port = server.port(), .ca_file = "/nonexistent"}, false},
        {"right CA, other name", {.scheme = "https", .port = other.port(), .ca_file = other_file}, false},
        {"tls-server-name",
         {.scheme = "https", .port = other.port(), .ca_file = other_file, .server_name = "api.example.org"},
         true},
        {"wrong tls-server-name",
         {.scheme = "https", .port = server.port(), .ca_file = own_file, .server_name = "api.example.org"},
         false},
        {"insecure", {.scheme = "https", .port = server.port(), .insecure = true}, true},
        {"plain http to TLS", {.scheme = "http", .port = server.port()}, false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        HttpClient client(credentials_for(row.endpoint));
        // Twice: what failed to load once must not be left out the second time.
        CHECK(client.send({.target = "/"}).succeeded() == row.works);
        CHECK(client.send({.target = "/"}).succeeded() == row.works);
    }
    CHECK(server.seen.all().size() == 4);
    CHECK(other.seen.all().size() == 2);
}

// The limits are a day: whatever `cancel` doesn't end never ends.
TEST_CASE("cancel ends a request in every state, and all later ones") {
    std::atomic<FakeApiServer*> self = nullptr;
    FakeApiServer server([&](const httplib::Request& request, httplib::Response& response) {
        if (request.path == "/answer")
            self.load()->hang();
        self.load()->stream(response, {"{}\n"}, Then::hang);
    });
    self = &server;
    const SilentPort unanswered(false);
    const SilentPort mute(true);
    struct Row {
        const char* name;
        Endpoint endpoint;
        const char* target;
    };
    const Row rows[] = {
        {"connecting", {.scheme = "http", .port = unanswered.port()}, "/"},
        {"TLS handshake", {.scheme = "https", .port = mute.port(), .insecure = true}, "/"},
        {"waiting for the answer", {.scheme = "http", .port = server.port()}, "/answer"},
        {"inside a stream", {.scheme = "http", .port = server.port()}, "/stream"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        HttpClient client(credentials_for(row.endpoint));
        const std::size_t before = server.seen.all().size();
        auto answer = std::async(std::launch::async, [&] {
            return client.stream({.target = row.target, .connect = for_ever, .silence = for_ever},
                                 [](std::string_view) { return true; });
        });
        if (row.endpoint.port == server.port())
            CHECK(server.seen.wait_for_count(before + 1));
        client.cancel();
        CHECK(answer.get().ending == Ending::cancelled);
        CHECK(client.send({.target = "/"}).ending == Ending::cancelled);
    }
}

TEST_CASE("an interruption ends one request, the next one if there is none, and nothing after it") {
    std::atomic<FakeApiServer*> self = nullptr;
    FakeApiServer server([&](const httplib::Request& request, httplib::Response& response) {
        if (request.path == "/stream")
            self.load()->stream(response, {"{}\n"}, Then::hang);
    });
    self = &server;
    HttpClient client(server.credentials());
    std::promise<void> is_open;
    auto answer = std::async(std::launch::async, [&] {
        return client.stream({.target = "/stream", .silence = std::chrono::hours(24)}, [&](std::string_view) {
            is_open.set_value();
            return true;
        });
    });
    is_open.get_future().wait();
    client.interrupt();
    CHECK(answer.get().ending == Ending::cancelled);
    CHECK(client.send({.target = "/"}).succeeded());
    client.interrupt();
    CHECK(client.send({.target = "/"}).ending == Ending::cancelled);
    CHECK(client.send({.target = "/"}).succeeded());
}

TEST_CASE("text becomes one segment of a path") {
    CHECK(percent_encoded("train-0.a_b~") == "train-0.a_b~");
    CHECK(percent_encoded("a/b?c&d=e f%") == "a%2Fb%3Fc%26d%3De%20f%25");
    CHECK(percent_encoded("\xc3\xa4") == "%C3%A4");
}

}  // namespace
}  // namespace echelon::kube

// What does one write cost echelon's writer, against a server of the same machine over TLS? The reference is the floor:
// the same bytes go out and come back through OpenSSL on one connection, and nothing is built or read. Processor time
// of the thread that writes; the server answers at once, on another thread.

#include "kube/client/http_client.hpp"
#include "kube/write/write_request.hpp"
#include "unit-tests/kube/fake_apiserver.hpp"
#include "unit-tests/kube/test_files.hpp"

#include <array>
#include <memory>
#include <stdexcept>
#include <string>

#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace echelon {
namespace {

constexpr std::size_t answer_size = 700;  // As partial metadata of a pod have.

void must(bool holds, const char* what) {
    if (!holds)
        throw std::runtime_error(what);
}

model::NominatePod nomination() {
    return {{"team-a", "train-17", "4d1c2d0e-64a5-4f0c-9a3b-6f3d2b9a7e10"}, "block-3-rack-7-host-04"};
}

class Server {
public:
    Server()
        : certificate_("IP:127.0.0.1"),
          ca_file_(folder_.write("ca.pem", certificate_.certificate_pem())),
          server_(
              [](const httplib::Request&, httplib::Response& response) {
                  response.set_content(std::string(answer_size, 'x'), "application/json");
              },
              std::make_unique<httplib::SSLServer>(certificate_.certificate.get(), certificate_.key.get())) {}

    [[nodiscard]] int port() const { return server_.port(); }
    [[nodiscard]] std::shared_ptr<kube::Credentials> credentials() const {
        return std::make_shared<kube::Credentials>(
            kube::Endpoint{.scheme = "https", .host = "127.0.0.1", .port = port(), .ca_file = ca_file_}, "token", "");
    }

private:
    kube::TestFolder folder_;
    kube::TestCertificate certificate_;
    std::string ca_file_;
    kube::FakeApiServer server_;
};

void one_write(benchmark::State& state) {
    const Server server;
    kube::HttpClient client(server.credentials());
    for (auto _ : state)
        must(client.send(kube::request_of(nomination())).status == 200, "the server refused a write");
}

// A connection to the server that knows nothing of HTTP.
class BareConnection {
public:
    explicit BareConnection(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
        must(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "no connection");
        const int yes = 1;
        ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        SSL_set_fd(ssl_.get(), socket_);
        SSL_set_read_ahead(ssl_.get(), 1);
        must(SSL_connect(ssl_.get()) == 1, "no TLS");
    }
    ~BareConnection() { ::close(socket_); }
    BareConnection(const BareConnection&) = delete;
    BareConnection& operator=(const BareConnection&) = delete;

    // Sends the text, and waits until the answer ends like this.
    void exchange(const std::string& text, char last) {
        must(SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size())) > 0, "not written");
        int size = 0;
        do {
            size = SSL_read(ssl_.get(), in_.data(), static_cast<int>(in_.size()));
            must(size > 0, "no answer");
        } while (in_[static_cast<std::size_t>(size) - 1] != last);
    }

private:
    std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_{SSL_CTX_new(TLS_client_method()), &SSL_CTX_free};
    std::unique_ptr<SSL, decltype(&SSL_free)> ssl_{SSL_new(context_.get()), &SSL_free};
    int socket_;
    std::array<char, 16'384> in_{};
};

void bytes_alone(benchmark::State& state) {
    const Server server;
    BareConnection connection(server.port());
    const auto request = kube::request_of(nomination());
    const std::string text = fmt::format(
        "{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAccept: {}\r\nUser-Agent: echelon\r\nContent-Type: {}\r\n"
        "Content-Length: {}\r\nAuthorization: Bearer token\r\nConnection: keep-alive\r\n\r\n{}",
        request.method, request.target, server.port(), request.accept, request.content_type, request.body.size(),
        request.body);
    for (auto _ : state)
        connection.exchange(text, 'x');
}

BENCHMARK(bytes_alone)->Unit(benchmark::kMicrosecond);
BENCHMARK(one_write)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace echelon

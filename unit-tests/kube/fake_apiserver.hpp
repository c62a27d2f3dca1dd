#pragma once

// How does a test script an API server? A real HTTP server on a free port of this machine, with a handler.
//
// The handler runs on server threads. Waits end when the server does.

#include "kube/client/credentials.hpp"
#include "unit-tests/support/becomes_true.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <httplib.h>
#include <sys/socket.h>

namespace echelon::kube {

using support::becomes_true;
using support::test_patience;

// Things that happen on other threads, to be waited for.
template <typename Thing>
class Happenings {
public:
    void add(Thing thing) {
        {
            const std::lock_guard lock(mutex_);
            things_.push_back(std::move(thing));
        }
        changed_.notify_all();
    }
    [[nodiscard]] std::vector<Thing> all() const {
        const std::lock_guard lock(mutex_);
        return things_;
    }
    // Waits until `enough` is true. False: not in time.
    [[nodiscard]] bool wait(const std::function<bool(const std::vector<Thing>&)>& enough) const {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, test_patience, [&] { return enough(things_); });
    }
    [[nodiscard]] bool wait_for_count(std::size_t count) const {
        return wait([count](const std::vector<Thing>& things) { return things.size() >= count; });
    }

private:
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::vector<Thing> things_;
};

struct SeenRequest {
    std::string method;
    std::string target;
    std::string body;
    std::string content_type;
    std::string authorization;
    std::string accept_encoding;
};

class FakeApiServer {
public:
    using Handler = std::function<void(const httplib::Request&, httplib::Response&)>;

    explicit FakeApiServer(Handler handler,
                           std::unique_ptr<httplib::Server> server = std::make_unique<httplib::Server>(),
                           const std::string& host = "127.0.0.1")
        : server_(std::move(server)), handler_(std::move(handler)) {
        const auto serve = [this](const httplib::Request& request, httplib::Response& response) {
            seen.add({request.method, request.target, request.body, request.get_header_value("Content-Type"),
                      request.get_header_value("Authorization"), request.get_header_value("Accept-Encoding")});
            handler_(request, response);
        };
        server_->Get(".*", serve);
        server_->Post(".*", serve);
        server_->Put(".*", serve);
        server_->Patch(".*", serve);
        server_->Delete(".*", serve);
        server_->new_task_queue = [] { return new httplib::ThreadPool(32); };
        server_->set_tcp_nodelay(true);
        server_->set_keep_alive_timeout(60);
        server_->set_keep_alive_max_count(1'000'000);
        int listener = -1;
        server_->set_socket_options([&listener](int socket) { listener = socket; });
        port_ = server_->bind_to_any_port(host);
        // The library's queue of five makes the sixth connection wait for a second.
        ::listen(listener, 128);
        thread_ = std::thread([this] { server_->listen_after_bind(); });
        // Stopping a server that doesn't run yet does nothing, and there is no signal that it runs.
        while (!server_->is_running())
            std::this_thread::yield();
    }
    ~FakeApiServer() {
        {
            const std::lock_guard lock(mutex_);
            ended_ = true;
        }
        end_.notify_all();
        server_->stop();
        thread_.join();
    }
    FakeApiServer(const FakeApiServer&) = delete;
    FakeApiServer& operator=(const FakeApiServer&) = delete;

    [[nodiscard]] int port() const { return port_; }
    [[nodiscard]] std::shared_ptr<Credentials> credentials(const std::string& token = "",
                                                           const std::string& token_file = "") const {
        return std::make_shared<Credentials>(Endpoint{.scheme = "http", .host = "127.0.0.1", .port = port_}, token,
                                             token_file);
    }

    // Says nothing until the test is over.
    void hang() {
        std::unique_lock lock(mutex_);
        end_.wait(lock, [this] { return ended_; });
    }

    // What a stream does after its pieces.
    enum class Then : std::uint8_t { close, reset, hang };
    void stream(httplib::Response& response, std::vector<std::string> pieces, Then then) {
        // A type that the server doesn't compress: a compressor would hold back bytes that were written before a reset.
        response.set_chunked_content_provider(
            "application/octet-stream", [this, pieces = std::move(pieces), then](std::size_t, httplib::DataSink& sink) {
                for (const std::string& piece : pieces) {
                    if (!sink.write(piece.data(), piece.size()))
                        return false;
                }
                if (then == Then::close) {
                    sink.done();
                    return true;
                }
                if (then == Then::hang)
                    hang();
                return false;
            });
    }

    Happenings<SeenRequest> seen;

private:
    std::unique_ptr<httplib::Server> server_;
    Handler handler_;
    int port_ = 0;
    std::thread thread_;
    std::mutex mutex_;
    std::condition_variable end_;
    bool ended_ = false;  // Guarded by mutex_.
};

}  // namespace echelon::kube

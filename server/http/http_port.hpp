#pragma once

// How does one listening port serve requests? It accepts connections, reads whole requests, calls handlers and sends
// answers.
//
// Workers wait on one epoll set and serve connections that are ready. A connection takes a worker only while bytes are
// transferred or a handler runs, so idle, slow and waiting callers take no thread. A handler may return without an
// answer; complete() then ends the call later, without a thread per call. The listening thread also sweeps deadlines.
// Thread-safe.

#include "base/result.hpp"
#include "config/settings.hpp"
#include "server/http/http_connection.hpp"
#include "server/http/listener.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace echelon::server {

struct PortOptions {
    config::Address address;
    const TlsContext* tls = nullptr;  // Null: plain. Must outlive the port.
    PortLimits limits = {};
    unsigned workers = 4;
};

class HttpPort {
public:
    // Binds the address; callers may connect, but are not served before start(). An error: the address is taken, or
    // there are no descriptors.
    [[nodiscard]] static base::Result<std::unique_ptr<HttpPort>> open(const PortOptions& options,
                                                                      PortHandlers handlers);
    // To be called once.
    [[nodiscard]] base::Result<void> start();
    ~HttpPort();  // Ends every connection; no handler is called.
    HttpPort(const HttpPort&) = delete;
    HttpPort& operator=(const HttpPort&) = delete;

    // Answers a request whose handler returned nullopt. Ignored if it no longer waits.
    void complete(const Ticket& ticket, Answer answer);

    // Ends idle connections.
    void end_idle() { state_.table.end_idle(); }

    // The X-Request-Id of the answer to a request.
    [[nodiscard]] std::string id_of(const Ticket& ticket) const { return request_id(state_.request_id_seed, ticket); }

    [[nodiscard]] int port() const { return listener_.port(); }
    // False once the listening socket has failed.
    [[nodiscard]] bool is_listening() const { return is_listening_.load(); }
    [[nodiscard]] std::size_t connections() const { return state_.table.size(); }
    [[nodiscard]] std::array<std::uint64_t, rejection_count> rejections() const;

private:
    struct Descriptor {
        explicit Descriptor(int descriptor) : number(descriptor) {}
        ~Descriptor();
        Descriptor(const Descriptor&) = delete;
        Descriptor& operator=(const Descriptor&) = delete;
        int number;
    };
    struct Completion {
        Ticket ticket;
        Answer answer;
    };

    HttpPort(const PortOptions& options, PortHandlers handlers, Listener listener);
    [[nodiscard]] bool is_usable() const;

    void listen();
    void admit(Accepted accepted, HttpConnection& http_connection);
    void work();
    void serve(std::uint64_t id, std::uint32_t events, HttpConnection& http_connection);
    void serve_completions(HttpConnection& http_connection);
    void arm(int operation, Connection& connection, Wait wait);

    const unsigned workers_;
    Listener listener_;
    Descriptor epoll_;
    Descriptor stop_;         // An eventfd; readable: all threads end.
    Descriptor hurry_;        // An eventfd; readable: the listening thread sweeps again.
    Descriptor completions_;  // An eventfd; each write wakes a worker.
    PortState state_;
    std::atomic<bool> is_listening_ = true;

    std::mutex completed_mutex_;
    std::deque<Completion> completed_;  // Protected by completed_mutex_.

    std::vector<std::jthread> threads_;
};

}  // namespace echelon::server

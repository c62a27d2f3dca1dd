#pragma once

// One listening port: accepts, reads whole requests, hands them to handlers, sends the answers.
//
// Workers wait in one epoll set and serve whatever is ready; a connection holds a worker only while bytes are moved or
// a handler runs, so silent, dripping and waiting callers cost no thread. A handler that can't answer yet returns, and
// complete() ends the call later: thousands of waiting calls need not one thread more. The listening thread also keeps
// time, with one wait and no tick. Thread-safe.

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
    // Takes the address; callers may connect, but nobody is served before start(). A sentence when the address is taken
    // or the system has no descriptors.
    [[nodiscard]] static base::Result<std::unique_ptr<HttpPort>> open(const PortOptions& options,
                                                                      PortHandlers handlers);
    // Once.
    [[nodiscard]] base::Result<void> start();
    ~HttpPort();  // Ends every connection; nobody is told.
    HttpPort(const HttpPort&) = delete;
    HttpPort& operator=(const HttpPort&) = delete;

    // Answers a request whose handler returned nullopt. Ignored when it no longer waits.
    void complete(const Ticket& ticket, Answer answer);

    // Ends connections on which nothing is asked just now.
    void end_idle() { state_.table.end_idle(); }

    // What the answer to a request bears as X-Request-Id.
    [[nodiscard]] std::string id_of(const Ticket& ticket) const { return request_id(state_.request_id_seed, ticket); }

    [[nodiscard]] int port() const { return listener_.port(); }
    // False once the listening socket has died.
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
    void accept_all(HttpConnection& conversation);
    void admit(Accepted accepted, HttpConnection& conversation);
    void work();
    void serve(std::uint64_t id, std::uint32_t events, HttpConnection& conversation);
    void serve_completions(HttpConnection& conversation);
    void arm(int operation, Connection& connection, Wait wait);

    const unsigned workers_;
    Listener listener_;
    Descriptor epoll_;
    Descriptor stop_;         // An eventfd; readable: everyone ends.
    Descriptor hurry_;        // An eventfd; readable: the listening thread looks at the deadlines again.
    Descriptor completions_;  // An eventfd; each write wakes a worker.
    PortState state_;
    std::atomic<bool> is_listening_ = true;

    std::mutex completed_mutex_;
    std::deque<Completion> completed_;  // Protected by completed_mutex_.

    std::vector<std::jthread> threads_;
};

}  // namespace echelon::server

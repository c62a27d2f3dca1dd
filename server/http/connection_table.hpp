#pragma once

// All connections of a port, by number, and which of them have run out of time.
//
// Thread-safe. A sweep never ends a connection itself: it shuts the socket down (only its reading side
// when the peer shall hear of it), so that the poller hands the
// connection to a worker, the only one who may close it.

#include "server/http/connection.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace echelon::server {

class ConnectionTable {
public:
    // `hurry` is called when a deadline came up that is earlier than what the last sweep() returned.
    explicit ConnectionTable(std::function<void()> hurry) : hurry_(std::move(hurry)) {}

    std::shared_ptr<Connection> add(int socket, Peer peer, SslHandle ssl);
    [[nodiscard]] std::shared_ptr<Connection> find(std::uint64_t id) const;
    void remove(std::uint64_t id);
    [[nodiscard]] std::size_t size() const;
    // Of one address.
    [[nodiscard]] std::size_t size_of(const std::string& peer) const;

    // Ends those that wait for a next request. One that is being served meanwhile stays.
    void end_idle();

    void set_deadline(Connection& connection, Clock::time_point deadline);
    // Wakes every connection whose deadline has passed; returns the earliest of the others.
    Clock::time_point sweep(Clock::time_point now);

private:
    std::function<void()> hurry_;
    std::atomic<Clock::time_point> earliest_{never};  // Nothing is due before.

    mutable std::mutex mutex_;
    // Protected by mutex_.
    std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections_;
    std::unordered_map<std::string, std::size_t> peers_;  // How many connections an address has.
    std::uint64_t next_id_ = 1024;                        // Smaller numbers are the poller's own.
};

}  // namespace echelon::server

#pragma once

// Which connections does a port have, and which have exceeded their deadline?
//
// Thread-safe. A sweep never closes a connection itself. It shuts the socket down, or only its reading side if the peer
// gets an answer. The poller then hands the connection to a worker, which alone may close it.

#include "server/http/connection.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace echelon::server {

class ConnectionTable {
public:
    // `hurry` is called when a deadline is set that is earlier than the result of the last sweep().
    explicit ConnectionTable(std::function<void()> hurry) : hurry_(std::move(hurry)) {}

    std::shared_ptr<Connection> add(int socket, Peer peer, SslHandle ssl);
    [[nodiscard]] std::shared_ptr<Connection> find(std::uint64_t id) const;
    void remove(std::uint64_t id);
    [[nodiscard]] std::size_t size() const;
    // Connections of one address.
    [[nodiscard]] std::size_t size_of(const std::string& peer) const;

    // Ends connections that wait for a next request.
    void end_idle();
    // Ends the one of them that has waited longest since its last answer. `peer`: of this address alone; empty: of all.
    // False: there is none.
    [[nodiscard]] bool end_longest_idle(std::string_view peer = {});

    void set_deadline(Connection& connection, Clock::time_point deadline);
    // Shuts down every connection whose deadline has passed; returns the earliest deadline of the others.
    Clock::time_point sweep(Clock::time_point now);

private:
    std::function<void()> hurry_;
    std::atomic<Clock::time_point> earliest_{never};  // Lower bound of all deadlines.

    mutable std::mutex mutex_;
    // Protected by mutex_.
    std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections_;
    std::unordered_map<std::string, std::size_t> peers_;  // Address -> number of connections.
    std::uint64_t next_id_ = 1024;                        // Smaller ids are reserved for the poller.
};

}  // namespace echelon::server

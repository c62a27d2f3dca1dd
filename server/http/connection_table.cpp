#include "server/http/connection_table.hpp"

#include <algorithm>
#include <utility>

#include <sys/socket.h>

namespace echelon::server {

namespace {

// Waits for a next request. Requires: the connection's lock.
bool is_idle(const Connection& connection) {
    return connection.phase == Phase::reading && connection.in.empty();
}

bool has_unread_bytes(const Connection& connection) {
    char byte = 0;
    return ::recv(connection.socket.descriptor(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

}  // namespace

std::shared_ptr<Connection> ConnectionTable::add(int socket, Peer peer, SslHandle ssl) {
    std::lock_guard lock(mutex_);
    auto id = next_id_++;
    auto connection = std::make_shared<Connection>(id, socket, std::move(peer), std::move(ssl));
    connections_.emplace(id, connection);
    ++peers_[connection->peer.address];
    return connection;
}

std::shared_ptr<Connection> ConnectionTable::find(std::uint64_t id) const {
    std::lock_guard lock(mutex_);
    auto found = connections_.find(id);
    return found == connections_.end() ? nullptr : found->second;
}

void ConnectionTable::remove(std::uint64_t id) {
    std::shared_ptr<Connection> ended;  // Goes after the lock.
    std::lock_guard lock(mutex_);
    auto found = connections_.find(id);
    if (found == connections_.end())
        return;
    ended = std::move(found->second);
    connections_.erase(found);
    auto peer = peers_.find(ended->peer.address);
    if (peer != peers_.end() && --peer->second == 0)
        peers_.erase(peer);
}

std::size_t ConnectionTable::size() const {
    std::lock_guard lock(mutex_);
    return connections_.size();
}

std::size_t ConnectionTable::size_of(const std::string& peer) const {
    std::lock_guard lock(mutex_);
    auto found = peers_.find(peer);
    return found == peers_.end() ? 0 : found->second;
}

void ConnectionTable::end_idle() {
    std::lock_guard lock(mutex_);
    for (auto& [id, connection] : connections_) {
        // Never waits: others hold the connection's lock when they come here.
        std::unique_lock served(connection->mutex, std::try_to_lock);
        if (!served || !is_idle(*connection))
            continue;
        ::shutdown(connection->socket.descriptor(), SHUT_RDWR);  // Its worker closes it.
    }
}

// Idle connections all have the same time, so the one that has been idle longest has the earliest deadline.
bool ConnectionTable::end_longest_idle(std::string_view peer) {
    std::lock_guard lock(mutex_);
    Connection* longest = nullptr;
    for (auto& [id, connection] : connections_) {
        const bool is_later = longest != nullptr && connection->deadline.load() >= longest->deadline.load();
        const bool is_other = !peer.empty() && connection->peer.address != peer;
        if (is_later || is_other || connection->has_expired.load())
            continue;
        std::unique_lock served(connection->mutex, std::try_to_lock);
        if (served && is_idle(*connection) && connection->requests > 0)
            longest = connection.get();
    }
    if (longest == nullptr)
        return false;
    std::unique_lock served(longest->mutex, std::try_to_lock);
    if (!served || !is_idle(*longest) || has_unread_bytes(*longest))
        return false;  // Its next request has just come.
    longest->has_expired.store(true);
    ::shutdown(longest->socket.descriptor(), SHUT_RDWR);
    return true;
}

void ConnectionTable::set_deadline(Connection& connection, Clock::time_point deadline) {
    connection.deadline.store(deadline);
    auto earliest = earliest_.load();
    while (deadline < earliest) {
        if (earliest_.compare_exchange_weak(earliest, deadline)) {
            hurry_();
            return;
        }
    }
}

Clock::time_point ConnectionTable::sweep(Clock::time_point now) {
    // From here on, deadlines that this sweep may miss lower the mark again.
    earliest_.store(never);
    auto next = never;
    {
        std::lock_guard lock(mutex_);
        for (auto& [id, connection] : connections_) {
            if (connection->has_expired.load())
                continue;
            auto deadline = connection->deadline.load();
            if (deadline > now) {
                next = std::min(next, deadline);
                continue;
            }
            connection->has_expired.store(true);
            const bool gets_answer = connection->is_notified_of_deadline.load();
            ::shutdown(connection->socket.descriptor(), gets_answer ? SHUT_RD : SHUT_RDWR);
        }
    }
    auto earliest = earliest_.load();
    while (next < earliest && !earliest_.compare_exchange_weak(earliest, next)) {
    }
    return std::min(next, earliest);
}

}  // namespace echelon::server

#include "server/http/connection_table.hpp"

#include <algorithm>
#include <utility>

#include <sys/socket.h>

namespace echelon::server {

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
        if (!served || connection->phase != Phase::reading || !connection->in.empty())
            continue;
        ::shutdown(connection->socket.descriptor(), SHUT_RDWR);  // Its worker closes it.
    }
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

#pragma once

// How many descriptors and how much memory may each port use, so that callers of one can't starve another?
//
// Pure.

#include "config/settings.hpp"
#include "server/http/http_connection.hpp"

#include <cstddef>
#include <cstdint>

namespace echelon::server {

// Connections of each port. Together with `outside` they don't exceed the descriptor limit.
struct PortShares {
    std::size_t outside = 0;  // Files, connections to the API server, callers that are being refused.
    std::size_t extender = 0;
    std::size_t bind = 0;  // The barrier and a reserve for plain pods.
    std::size_t admin = 0;
    std::size_t webhook = 0;  // 0: not configured.
    std::size_t barrier = 0;  // Part of `bind`: members that may wait at once.

    // Bind calls of members at once: a few more than may wait, so that the engine decides which ones wait.
    [[nodiscard]] std::size_t member_calls() const { return barrier + (bind - barrier) / 4; }
};

[[nodiscard]] PortShares port_shares(const config::Settings& settings, std::uint64_t descriptors);

[[nodiscard]] PortLimits extender_limits(const PortShares& shares);
[[nodiscard]] PortLimits bind_limits(const PortShares& shares);
// 16 connections per peer, and bodies of 64 KiB; topologies and manifests from loopback may be larger.
[[nodiscard]] PortLimits admin_limits(const PortShares& shares);
// 64 MiB in all.
[[nodiscard]] PortLimits webhook_limits(const PortShares& shares);

}  // namespace echelon::server

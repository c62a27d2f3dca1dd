#pragma once

// How much of the process's descriptors and memory may each port take, so that no caller takes what another needs?
//
// Pure.

#include "config/settings.hpp"
#include "server/http/http_connection.hpp"

#include <cstddef>
#include <cstdint>

namespace echelon::server {

// Connections of each port. With `outside` they are at most the descriptors that there are.
struct PortShares {
    std::size_t outside = 0;  // Files, the API server's connections, callers that are being turned away.
    std::size_t extender = 0;
    std::size_t bind = 0;  // The barrier and the reserve of plain binds.
    std::size_t admin = 0;
    std::size_t webhook = 0;  // 0: there is none.
    std::size_t barrier = 0;  // Of `bind`: members that may wait at once.

    // Bind calls that members may have under way: a few more than may wait, so that the engine decides.
    [[nodiscard]] std::size_t member_calls() const { return barrier + (bind - barrier) / 4; }
};

[[nodiscard]] PortShares port_shares(const config::Settings& settings, std::uint64_t descriptors);

[[nodiscard]] PortLimits extender_limits(const PortShares& shares);
[[nodiscard]] PortLimits bind_limits(const PortShares& shares);
// 16 connections a peer, and bodies of 64 KiB; those of topologies that are pushed from loopback are larger.
[[nodiscard]] PortLimits admin_limits(const PortShares& shares);
// 64 MiB in all.
[[nodiscard]] PortLimits webhook_limits(const PortShares& shares);

}  // namespace echelon::server

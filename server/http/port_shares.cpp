#include "server/http/port_shares.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace echelon::server {
namespace {

constexpr std::uint64_t most_outside = 512;
constexpr std::uint64_t most_admin = 256;
constexpr std::uint64_t most_webhook = 512;
constexpr std::uint64_t most_extender = 4096;
constexpr std::uint64_t most_plain = 1024;  // Bind calls reserved for plain pods.
constexpr std::uint64_t enough_descriptors = 1ULL << 24U;

constexpr std::size_t kib = 1024;
constexpr std::size_t admin_per_peer = 16;
constexpr std::array<std::string_view, 3> pushes{"PUT /v1/topology/", "POST /v1/plan ", "POST /v1/plan?"};

PortLimits limits_of(std::size_t connections) {
    PortLimits limits;
    limits.connections = connections;
    limits.refused_with_answer = std::clamp<std::size_t>(connections / 16, 4, 64);
    return limits;
}

}  // namespace

PortShares port_shares(const config::Settings& settings, std::uint64_t descriptors) {
    const std::uint64_t all = std::min(descriptors, enough_descriptors);
    PortShares shares;
    shares.outside = std::min(all / 4, most_outside);
    shares.admin = std::min(all / 16, most_admin);
    shares.webhook = settings.webhook ? std::min(all / 16, most_webhook) : 0;
    shares.extender = std::min(all / 8, most_extender);
    const std::uint64_t rest = all - shares.outside - shares.admin - shares.webhook - shares.extender;
    const std::uint64_t plain = std::min(rest / 4, most_plain);
    shares.barrier = std::min(settings.barrier_connections, rest - plain);
    shares.bind = shares.barrier + plain;
    return shares;
}

PortLimits extender_limits(const PortShares& shares) {
    return limits_of(shares.extender);
}

PortLimits bind_limits(const PortShares& shares) {
    return limits_of(shares.bind);
}

PortLimits admin_limits(const PortShares& shares) {
    PortLimits limits = limits_of(shares.admin);
    limits.per_peer = admin_per_peer;
    limits.pushed = limits.header;
    limits.pushes = pushes;
    limits.header.body_bytes = 64 * kib;
    return limits;
}

// A buffer grows by doubling, so it may have twice the bytes that are claimed for it, or that need no claim.
PortLimits webhook_limits(const PortShares& shares) {
    PortLimits limits = limits_of(shares.webhook);
    limits.unclaimed_bytes = 16 * kib;
    limits.bodies_bytes = 24 * kib * kib;
    return limits;
}

}  // namespace echelon::server

#pragma once

// How many file descriptors may this process have open?
//
// Thread-safe, but for raising the limit: once, at the start.

#include <cstdint>

namespace echelon::server {

struct DescriptorLimits {
    std::uint64_t found = 0;  // The soft limit before.
    std::uint64_t now = 0;
    std::uint64_t hard = 0;
};

// Raises the soft limit to the hard one: the usual 1,024 are for programs that call select().
DescriptorLimits raise_descriptor_limit();
// The soft limit as it is.
[[nodiscard]] std::uint64_t descriptor_limit();

}  // namespace echelon::server

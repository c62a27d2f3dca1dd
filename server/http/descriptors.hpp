#pragma once

// How many file descriptors may this process have open?
//
// Thread-safe, except for raising the limit, which is done once at the start.

#include <cstdint>

namespace echelon::server {

struct DescriptorLimits {
    std::uint64_t found = 0;  // The soft limit before.
    std::uint64_t now = 0;
    std::uint64_t hard = 0;
};

// Raises the soft limit to the hard one; the default of 1,024 is for programs that use select().
DescriptorLimits raise_descriptor_limit();
// The current soft limit.
[[nodiscard]] std::uint64_t descriptor_limit();

}  // namespace echelon::server

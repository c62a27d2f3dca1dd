#pragma once

// How much memory did a piece of work take? Counted by this program's own operator new, for all threads together.

#include <cstdint>

namespace echelon::tenants {

struct Allocated {
    std::int64_t count = 0;  // Allocations so far.
    std::int64_t bytes = 0;  // Allocated so far.
    std::int64_t live = 0;   // Allocated and not given back.
    std::int64_t most = 0;   // The largest that `live` was since `forget_most`.
};

[[nodiscard]] Allocated allocated();
void forget_most();

}  // namespace echelon::tenants

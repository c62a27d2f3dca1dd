#pragma once

// Which objects may one tenant create? Some are hostile, some merely large, and some are hard to plan.
//
// Pure and deterministic.

#include <functional>
#include <string>
#include <vector>

namespace echelon::tenants {

struct Line {
    std::string text;  // An object as it is received.
    bool is_gone = false;
};
using Lines = std::vector<Line>;

struct Hostile {
    std::string name;  // "kai/chain 2000".
    std::function<Lines()> make;
};

// All in the namespace "tenant", or in none.
[[nodiscard]] std::vector<Hostile> hostile_inputs();
// Those that aren't one growth with a large count.
[[nodiscard]] std::vector<Hostile> odd_inputs();

}  // namespace echelon::tenants

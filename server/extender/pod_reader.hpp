#pragma once

// Which fields of a Pod are read from a request body, and how?
//
// Thread-safe.

#include "server/extender/extender_args.hpp"
#include "server/extender/json_walk.hpp"

namespace echelon::server {

// Null leaves `pod` empty. The whole object is checked, also what isn't read.
[[nodiscard]] Problem read_pod(ondemand::value value, PodFacts& pod);

}  // namespace echelon::server

#pragma once

// Which parts of a pod does the model keep? Of a bound pod without a group only the requests. A group may still name a
// waiting pod.

#include "model/facts/pod.hpp"

namespace echelon::model {

void keep_parts(const Pod& pod, Pod& kept);
// True if `keep_parts` would change nothing.
[[nodiscard]] bool is_kept(const Pod& pod, const Pod& kept);

}  // namespace echelon::model

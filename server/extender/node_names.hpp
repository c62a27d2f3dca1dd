#pragma once

// Which node names does a filter call offer? Read in place from its body.
//
// Thread-safe.

#include "server/extender/extender_args.hpp"
#include "server/extender/json_walk.hpp"

#include <string_view>

namespace echelon::server {

// Fills what `args` says of the names. `text`: the whole body. Requires: `value` was just read from `body`, and
// `args.planned_node` is set.
[[nodiscard]] Problem read_names(JsonBody& body, ondemand::value value, std::string_view text, FilterArgs& args);

}  // namespace echelon::server

#pragma once

// Is this process live, ready and started? /livez, /readyz, /startupz.

#include "engine/publish/published_state.hpp"
#include "server/extender/extender.hpp"
#include "server/http/request.hpp"

#include <functional>
#include <string>
#include <vector>

namespace echelon::server {

// The checks of the HTTP server itself, which come before those of the backend.
[[nodiscard]] std::vector<Check> server_checks(bool is_listening, const engine::PublishedState& published);

// 200, or 503 with one line per check in trouble. `verbose`: one line for every check, in either case.
[[nodiscard]] Answer health_answer(const std::vector<Check>& checks, bool verbose);

}  // namespace echelon::server

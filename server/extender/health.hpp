#pragma once

// /livez, /readyz, /startupz: is this process worth traffic, a restart, or patience?

#include "engine/publish/published_state.hpp"
#include "server/extender/extender.hpp"
#include "server/http/request.hpp"

#include <functional>
#include <string>
#include <vector>

namespace echelon::server {

// What the edge itself knows, before the checks behind the doors.
[[nodiscard]] std::vector<Check> edge_checks(bool is_listening, const engine::PublishedState& published);

// 200, or 503 with one line per check in trouble. `verbose`: one line for every check, in either case.
[[nodiscard]] Answer health_answer(const std::vector<Check>& checks, bool verbose);

}  // namespace echelon::server

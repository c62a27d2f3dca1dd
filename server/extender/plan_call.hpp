#pragma once

// How do programs and people ask for a plan? POST /v1/plan of the admin port (Z40). As thread-safe as the
// backend.

#include "server/extender/extender.hpp"
#include "server/http/request.hpp"

#include <functional>
#include <optional>

namespace echelon::server {

// nullopt: `complete` is called with the answer, once, from any thread.
[[nodiscard]] std::optional<Answer> begin_plan(const Backend& backend, const Request& request,
                                               std::function<void(Answer)> complete);

}  // namespace echelon::server

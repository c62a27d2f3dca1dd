#pragma once

// Which log level is set, and how is it changed? /debug/loglevel. As thread-safe as the backend.

#include "server/extender/extender.hpp"
#include "server/http/request.hpp"

namespace echelon::server {

// GET returns the level, PUT sets it to the word in the body.
[[nodiscard]] Answer log_level_answer(const Backend& backend, const Request& request);

}  // namespace echelon::server

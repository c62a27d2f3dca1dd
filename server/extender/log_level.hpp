#pragma once

// What does the log tell, and may it tell more? For /debug/loglevel. Thread-safe as far as the doors are.

#include "server/extender/extender.hpp"
#include "server/http/request.hpp"

namespace echelon::server {

// GET tells the level, PUT sets it: the word alone, as the body.
[[nodiscard]] Answer log_level_answer(const Backend& doors, const Request& request);

}  // namespace echelon::server

#pragma once

// Where the service's log lines go: standard error, as text or JSON (operations section 9).

#include "engine/action.hpp"

namespace echelon::cli {

void start_log(bool json, int verbosity);
// One line; control characters in names are escaped.
void log_note(const engine::Note& note);

}  // namespace echelon::cli

#pragma once

// `echelon ready`: is the service ready? Asks /readyz at the admin port.

#include "base/result.hpp"

#include <chrono>
#include <string>

namespace echelon::cli {

struct ReadyArguments {
    std::string server = "http://127.0.0.1:9302";  // The admin address.
    int wait_seconds = 0;                          // How long to repeat the question while the answer is no.
};

// The answer of a ready service; else one sentence with the last answer. Blocks until the service is ready or the time
// is over.
[[nodiscard]] base::Result<std::string> query_readiness(const ReadyArguments& arguments);
// Exit status: 0 the service is ready, 1 it isn't or can't be asked.
[[nodiscard]] int ready(const ReadyArguments& arguments);

}  // namespace echelon::cli

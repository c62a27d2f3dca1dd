#pragma once

// `echelon ready`: is the service in step? Asks /readyz, from wherever its admin port can be reached.

#include "base/result.hpp"

#include <chrono>
#include <string>

namespace echelon::cli {

struct ReadyArguments {
    std::string server = "http://127.0.0.1:9302";  // The admin address.
    int wait_seconds = 0;                          // How long to ask again while the answer is no.
};

// What the service answered when it was ready; else one sentence with what it said last. Waits for the answer, and
// between two questions.
[[nodiscard]] base::Result<std::string> query_readiness(const ReadyArguments& arguments);
// Exit status: 0 it is ready, 1 it isn't, or can't be asked.
[[nodiscard]] int ready(const ReadyArguments& arguments);

}  // namespace echelon::cli

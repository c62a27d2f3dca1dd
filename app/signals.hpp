#pragma once

// Which signals does the service wait for, instead of being interrupted by them?
//
// Not pure: it changes how the process handles signals.

#include <csignal>

namespace echelon::app {

// Blocks SIGTERM, SIGINT, SIGHUP and SIGUSR2 for all threads: one thread waits for them. Ignores SIGPIPE.
[[nodiscard]] sigset_t block_signals();

}  // namespace echelon::app

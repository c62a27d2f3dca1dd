#pragma once

// Which signals does the service wait for, rather than be interrupted by?
//
// Not pure: it changes what the process does with signals.

#include <csignal>

namespace echelon::app {

// SIGTERM, SIGINT, SIGHUP and SIGUSR2 are taken by the thread that waits for them; every thread inherits the mask. SIGPIPE is
// ignored.
[[nodiscard]] sigset_t block_signals();

}  // namespace echelon::app

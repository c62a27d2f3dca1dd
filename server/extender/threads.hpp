#pragma once

// Which threads does this process have, and how much CPU time have they used? /debug/threads.
//
// Reads /proc; thread-safe. A thread has its own name (pthread_setname_np), else that of the program.

#include <string>

namespace echelon::server {

// JSON, sorted by id: id, name, state (a letter, as in ps) and seconds of CPU time.
[[nodiscard]] std::string threads_json();

}  // namespace echelon::server

#pragma once

// Which threads does this process have, and what have they done? For /debug/threads.
//
// Reads /proc; thread-safe. A thread has the name that it gave itself (pthread_setname_np), else that of the program.

#include <string>

namespace echelon::server {

// JSON: id, name, state (a letter, as of ps) and seconds of CPU time of each, by id.
[[nodiscard]] std::string threads_json();

}  // namespace echelon::server

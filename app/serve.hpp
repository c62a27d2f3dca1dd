#pragma once

// What does `echelon serve` do? It wires the watcher, the engine, the writer and the HTTP edge together, and runs until
// SIGTERM.

#include <string>

namespace echelon::app {

struct ServeArguments {
    std::string config_file;
    bool json_logs = false;
    int verbosity = 0;
};

// Exit status: 0 after SIGTERM or SIGINT, 2 for bad configuration, unreadable files or arguments, 1 for anything else.
[[nodiscard]] int serve(const ServeArguments& arguments);

}  // namespace echelon::app

#pragma once

// What does a piece of work return, if it ends? It runs in a child process with bounds on memory and CPU.
//
// Requires: this process has one thread.

#include <functional>
#include <string>

namespace echelon::tenants {

struct Bounds {
    std::size_t memory_bytes = 0;  // Of address space; not applied under a sanitizer, which needs far more.
    unsigned cpu_seconds = 0;
};

struct Ending {
    std::string answer;   // Of the work.
    std::string trouble;  // Why there is no answer: "killed by signal 11 (Segmentation fault)"; empty: there is one.
};

[[nodiscard]] Ending run_apart(const Bounds& bounds, const std::function<std::string()>& work);

}  // namespace echelon::tenants

#pragma once

// Has another thread done its part? Polls, with a deadline.

#include <chrono>
#include <concepts>
#include <thread>

namespace echelon::support {

// Long enough for any machine; a test that waits this long has failed.
inline constexpr std::chrono::seconds test_patience{20};

// Polls until the condition is true. False: not in time.
[[nodiscard]] bool becomes_true(const std::predicate auto& condition) {
    const auto deadline = std::chrono::steady_clock::now() + test_patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

}  // namespace echelon::support

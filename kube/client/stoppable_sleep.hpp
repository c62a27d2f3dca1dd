#pragma once

// How does a thread sleep that may be stopped meanwhile?

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace echelon::kube {

// Returns after `time`, or when a stop is requested.
inline void sleep_unless_stopped(const std::stop_token& stop, std::chrono::milliseconds time) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace echelon::kube

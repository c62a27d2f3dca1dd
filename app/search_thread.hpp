#pragma once

// Where do long searches run? On one thread of their own, one after another, while the engine goes on (BD4).
//
// Thread-safe.

#include "engine/action.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace echelon::app {

class SearchThread {
public:
    using Ended = std::function<void(std::uint64_t search)>;  // Called on this thread.

    explicit SearchThread(Ended ended);
    // Calls `end`, and waits for the search in progress.
    ~SearchThread();

    void submit(engine::StartSearch search);
    // No search begins any more: those that wait are dropped. Returns at once.
    void end();

private:
    void run(const std::stop_token& stop);

    const Ended ended_;
    std::mutex mutex_;
    std::condition_variable_any has_search_;
    std::deque<engine::StartSearch> waiting_;  // Guarded by mutex_.
    std::jthread thread_;                      // Last: it uses everything above.
};

}  // namespace echelon::app

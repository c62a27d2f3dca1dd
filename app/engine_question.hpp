#pragma once

// How does another thread ask the engine's thread a question? It waits for the answer, for a limited time.
//
// Thread-safe.

#include "app/engine_loop.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace echelon::app {

// Where the engine's thread puts its answer; outlives the thread that finishes first.
template <typename What>
struct PendingAnswer {
    std::mutex mutex;
    std::condition_variable_any arrived;
    std::optional<What> what;  // Guarded by mutex.
};

// Nullopt: the engine's thread doesn't answer.
template <typename What>
std::optional<What> ask_engine(EngineLoop& loop, const std::stop_token& stop,
                               std::function<What(const engine::Engine&)> take) {
    constexpr auto timeout = std::chrono::seconds(5);
    auto answer = std::make_shared<PendingAnswer<What>>();
    const bool is_asked = loop.ask([answer, take = std::move(take)](const engine::Engine& engine) {
        auto what = take(engine);
        {
            const std::lock_guard lock(answer->mutex);
            answer->what = std::move(what);
        }
        answer->arrived.notify_one();
    });
    if (!is_asked)
        return std::nullopt;
    std::unique_lock lock(answer->mutex);
    if (!answer->arrived.wait_for(lock, stop, timeout, [&] { return answer->what.has_value(); }))
        return std::nullopt;
    return std::move(answer->what);
}

}  // namespace echelon::app

#pragma once

// What does the engine's thread answer to one question? Asked from another thread, with patience.
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

// What the engine's thread leaves for the other one; outlives whichever is done first.
template <typename What>
struct Letter {
    std::mutex mutex;
    std::condition_variable_any arrived;
    std::optional<What> what;  // Guarded by mutex.
};

// Nothing: the engine's thread doesn't answer.
template <typename What>
std::optional<What> asked_of(EngineLoop& loop, const std::stop_token& stop,
                             std::function<What(const engine::Engine&)> take) {
    constexpr auto patience = std::chrono::seconds(5);
    auto letter = std::make_shared<Letter<What>>();
    loop.ask([letter, take = std::move(take)](const engine::Engine& engine) {
        auto what = take(engine);
        {
            const std::lock_guard lock(letter->mutex);
            letter->what = std::move(what);
        }
        letter->arrived.notify_one();
    });
    std::unique_lock lock(letter->mutex);
    if (!letter->arrived.wait_for(lock, stop, patience, [&] { return letter->what.has_value(); }))
        return std::nullopt;
    return std::move(letter->what);
}

}  // namespace echelon::app

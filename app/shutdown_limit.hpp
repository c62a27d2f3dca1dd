#pragma once

// How is it ensured that the service ends, whatever its threads wait for? A look-up of a name can't be cancelled.
//
// Used by one thread.

#include "kube/client/stoppable_sleep.hpp"

#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>
#include <utility>

namespace echelon::app {

class ShutdownLimit {
public:
    // Calls `late` on another thread, unless this is destroyed within `limit` after `begin`.
    ShutdownLimit(std::chrono::milliseconds limit, std::function<void()> late)
        : limit_(limit), late_(std::move(late)) {}

    void begin() {
        watch_ = std::jthread([this](const std::stop_token& stop) {
            kube::sleep_unless_stopped(stop, limit_);
            if (!stop.stop_requested())
                late_();
        });
    }

private:
    const std::chrono::milliseconds limit_;
    const std::function<void()> late_;
    std::jthread watch_;  // Last member: it ends before the others go.
};

// Ends the process, and says so. Requires: what is committed is finished.
[[noreturn]] void end_at_once();

}  // namespace echelon::app

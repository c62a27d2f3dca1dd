#pragma once

// How long to wait after a failure: twice as long each time, up to a limit, at random below it (L8).
//
// Pure: the time and the random number are arguments.

#include <algorithm>
#include <chrono>

namespace echelon::base {

class Backoff {
public:
    using Instant = std::chrono::steady_clock::time_point;
    using Milliseconds = std::chrono::milliseconds;

    Backoff(Milliseconds first, Milliseconds limit, Milliseconds quiet)
        : first_(first), limit_(limit), quiet_(quiet), current_(first) {}

    // Full jitter: anywhere up to the present step, so that a thousand clients don't come back together. The floor
    // keeps an unlucky draw from hammering. `random` is in [0, 1).
    [[nodiscard]] Milliseconds next(Instant now, double random) {
        if (now - last_ > quiet_)
            current_ = first_;
        const Milliseconds step = current_;
        current_ = std::min(current_ * 2, limit_);
        const Milliseconds drawn(static_cast<Milliseconds::rep>(static_cast<double>(step.count()) * random));
        const Milliseconds wait = std::max(drawn, step / 16);
        last_ = now + wait;
        return wait;
    }

private:
    Milliseconds first_;
    Milliseconds limit_;
    Milliseconds quiet_;  // After this much time without a failure the next wait is the first again.
    Milliseconds current_;
    Instant last_{};  // When the last wait was to end.
};

}  // namespace echelon::base

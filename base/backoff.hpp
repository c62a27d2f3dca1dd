#pragma once

// How long does a retry wait after a failure? Exponential back-off with full jitter and a limit (L8).
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

    // Full jitter: a random time up to the current step, so that many clients don't retry together. The minimum of a
    // sixteenth avoids retries in quick succession. `random` is in [0, 1).
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
    Milliseconds quiet_;  // After this time without a failure, waiting starts at `first_` again.
    Milliseconds current_;
    Instant last_{};  // End of the last wait.
};

}  // namespace echelon::base

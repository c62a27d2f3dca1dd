#pragma once

// May another request go out now? `rate` per second, up to `burst` at once.
//
// Pure: the time is an argument.

#include <algorithm>
#include <chrono>

namespace echelon::kube {

class TokenBucket {
public:
    using Instant = std::chrono::steady_clock::time_point;

    TokenBucket(double rate, double burst)
        : rate_(std::max(rate, 0.001)), burst_(std::max(burst, 1.0)), tokens_(burst_) {}

    // Takes one token, possibly a future one. Returns how long to wait before using it.
    [[nodiscard]] std::chrono::nanoseconds take(Instant now) {
        if (now > counted_at_) {
            const std::chrono::duration<double> passed = now - counted_at_;
            tokens_ = counted_at_ == Instant{} ? burst_ : std::min(burst_, tokens_ + passed.count() * rate_);
            counted_at_ = now;
        }
        tokens_ -= 1;
        if (tokens_ >= 0)
            return {};
        return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(-tokens_ / rate_));
    }

private:
    double rate_;  // Per second.
    double burst_;
    double tokens_;  // Negative: future ones are taken.
    Instant counted_at_{};
};

}  // namespace echelon::kube

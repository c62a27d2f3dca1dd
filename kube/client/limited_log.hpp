#pragma once

// How are floods of like messages kept out of a log? Each message goes through a rate limit first.
//
// Reads the clock. Not thread-safe.

#include "base/log_rate_limiter.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <utility>

namespace echelon::kube {

// Logs what a LogRateLimiter passes.
class LimitedLog {
public:
    using Log = std::function<void(const std::string& sentence)>;  // May be empty.

    // `source`: whose messages these are, for the count of what is left out.
    explicit LimitedLog(Log log, std::string source = {}) : log_(std::move(log)), limiter_(std::move(source)) {}

    void operator()(const std::string& sentence) {
        if (!log_)
            return;
        for (const std::string& line : limiter_.pass(sentence, std::chrono::steady_clock::now()))
            log_(line);
    }

private:
    const Log log_;
    base::LogRateLimiter limiter_;
};

}  // namespace echelon::kube

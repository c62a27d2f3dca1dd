#pragma once

// Which sentences are worth a line in the log? A flood of them isn't: a few per minute, then a count of the rest.
//
// Pure: the time is an argument. Not thread-safe.

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace echelon::kube {

class LogRateLimiter {
public:
    using Instant = std::chrono::steady_clock::time_point;

    // What to log now that `sentence` came up: nothing, the sentence, or first a line about what was left out.
    [[nodiscard]] std::vector<std::string> pass(const std::string& sentence, Instant now) {
        std::vector<std::string> lines;
        if (logged_.empty() || now - began_ >= window) {
            if (left_out_ > 0)
                lines.push_back(fmt::format("{} more sentences like the last ones were left out", left_out_));
            began_ = now;
            left_out_ = 0;
            logged_.clear();
        }
        if (logged_.size() < most && logged_.insert(sentence).second) {
            lines.push_back(sentence);
        } else {
            ++left_out_;
        }
        return lines;
    }

private:
    static constexpr std::chrono::seconds window{60};
    static constexpr std::size_t most = 20;  // Different sentences per window; each of them once.

    Instant began_{};
    std::set<std::string> logged_;
    std::uint64_t left_out_ = 0;
};

}  // namespace echelon::kube

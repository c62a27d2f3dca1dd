#pragma once

// Which sentences are logged? At most 20 different ones per minute, then a count of the rest.
//
// Reads no clock: the time is an argument. Not thread-safe.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace echelon::base {

class LogRateLimiter {
public:
    using Instant = std::chrono::steady_clock::time_point;

    // The lines to log for `sentence`: none, or the sentence, after a count of what was left out before.
    [[nodiscard]] std::vector<std::string> pass(const std::string& sentence, Instant now) {
        std::vector<std::string> lines;
        if (logged_.empty() || now - began_ >= window) {
            if (left_out_ > 0)
                lines.push_back(fmt::format("{} further messages were left out", left_out_));
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
    static constexpr std::size_t most = 20;  // Different sentences per window, each once.

    Instant began_{};
    std::set<std::string> logged_;
    std::uint64_t left_out_ = 0;
};

}  // namespace echelon::base

#pragma once

// Which sentences are logged? At most 20 different ones per minute, then a count of the rest.
//
// Reads no clock: the time is an argument. Not thread-safe.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::base {

class LogRateLimiter {
public:
    using Instant = std::chrono::steady_clock::time_point;

    // `source`: whose sentences these are, for the count; empty: it isn't said.
    explicit LogRateLimiter(std::string source = {}) : source_(std::move(source)) {}

    // The lines to log for `sentence`: none, or the sentence, after a count of what was left out before.
    [[nodiscard]] std::vector<std::string> pass(const std::string& sentence, Instant now) {
        std::vector<std::string> lines;
        if (is_over(now)) {
            if (left_out_ > 0)
                lines.push_back(count_line());
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
    // The current minute is over, or none has begun.
    [[nodiscard]] bool is_over(Instant now) const { return logged_.empty() || now - began_ >= window; }
    // Sentences of the current minute that were not logged.
    [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
    [[nodiscard]] std::string count_line() const {
        return fmt::format("{} further messages {}{}were left out", left_out_, source_.empty() ? "" : "of ",
                           source_.empty() ? "" : source_ + " ");
    }

private:
    static constexpr std::chrono::seconds window{60};
    static constexpr std::size_t most = 20;  // Different sentences per window, each once.

    std::string source_;
    Instant began_{};
    std::set<std::string> logged_;
    std::uint64_t left_out_ = 0;
};

}  // namespace echelon::base

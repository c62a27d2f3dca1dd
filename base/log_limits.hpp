#pragma once

// Which sentences are logged if many sources share a log? Each source has a limit for itself, so a flood of one hides
// nothing of the others.
//
// Reads no clock: the time is an argument. Not thread-safe. Beyond a hundred sources in a minute, further ones share
// one limit.

#include "base/log_rate_limiter.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace echelon::base {

class LogLimits {
public:
    using Instant = LogRateLimiter::Instant;

    // The lines to log for `sentence`, after counts of what sources were not allowed to say in minutes that are over.
    [[nodiscard]] std::vector<std::string> pass(const std::string& source, const std::string& sentence, Instant now) {
        auto lines = end_minutes(now);
        auto found = by_source_.find(source);
        if (found == by_source_.end() && by_source_.size() < most_sources)
            found = by_source_.emplace(source, LogRateLimiter(source)).first;
        auto& limiter = found == by_source_.end() ? others_ : found->second;
        for (auto& line : limiter.pass(sentence, now))
            lines.push_back(std::move(line));
        return lines;
    }
    [[nodiscard]] std::size_t sources() const { return by_source_.size(); }

private:
    static constexpr std::size_t most_sources = 100;
    static constexpr const char* of_others = "other sources";

    // Drops the sources whose minute is over, and says how much each left out.
    std::vector<std::string> end_minutes(Instant now) {
        std::vector<std::string> lines;
        for (auto at = by_source_.begin(); at != by_source_.end();) {
            if (!at->second.is_over(now)) {
                ++at;
                continue;
            }
            if (at->second.left_out() > 0)
                lines.push_back(at->second.count_line());
            at = by_source_.erase(at);
        }
        if (others_.is_over(now) && others_.left_out() > 0) {
            lines.push_back(others_.count_line());
            others_ = LogRateLimiter(of_others);
        }
        return lines;
    }

    std::map<std::string, LogRateLimiter> by_source_;
    LogRateLimiter others_{of_others};
};

}  // namespace echelon::base

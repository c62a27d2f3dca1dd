#include "base/log_rate_limiter.hpp"

#include <doctest/doctest.h>

namespace echelon::base {
namespace {

using Lines = std::vector<std::string>;

TEST_CASE("a sentence is said once a minute, and the repetitions are counted") {
    LogRateLimiter gate;
    LogRateLimiter::Instant now{std::chrono::hours(1)};
    CHECK(gate.pass("pods: broken", now) == Lines{"pods: broken"});
    CHECK(gate.pass("pods: broken", now).empty());
    CHECK(gate.pass("pods: other", now) == Lines{"pods: other"});
    now += std::chrono::seconds(61);
    CHECK(gate.pass("pods: broken", now) == Lines{"1 further messages were left out", "pods: broken"});
}

TEST_CASE("a flood of different sentences ends after twenty of them") {
    LogRateLimiter gate;
    const LogRateLimiter::Instant now{std::chrono::hours(1)};
    std::size_t said = 0;
    for (int i = 0; i < 10'000; ++i)
        said += gate.pass(fmt::format("pod {} is odd", i), now).size();
    CHECK(said == 20);
}

}  // namespace
}  // namespace echelon::base

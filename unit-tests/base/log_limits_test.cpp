#include "base/log_limits.hpp"

#include <doctest/doctest.h>

namespace echelon::base {
namespace {

using Lines = std::vector<std::string>;
using std::chrono::seconds;

constexpr LogLimits::Instant begin{std::chrono::hours(1)};

TEST_CASE("a flood of one source hides nothing of another one, and its count is said when its minute is over") {
    LogLimits limits;
    for (int i = 0; i < 1000; ++i)
        static_cast<void>(limits.pass("watcher", fmt::format("pod {} is odd", i), begin));
    CHECK(limits.pass("lease", "the lease can't be read", begin) == Lines{"the lease can't be read"});
    CHECK(limits.pass("lease", "the lease can't be read", begin + seconds(30)).empty());
    CHECK(limits.pass("engine", "all is well", begin + seconds(61)) ==
          Lines{"1 further messages of lease were left out", "980 further messages of watcher were left out",
                "all is well"});
    CHECK(limits.pass("engine", "all is well", begin + seconds(62)).empty());
}

TEST_CASE("the sources that are known are bounded, and further ones share one limit") {
    LogLimits limits;
    std::size_t said = 0;
    for (int source = 0; source < 1000; ++source)
        said += limits.pass(fmt::format("tenant {}", source), fmt::format("sentence {}", source), begin).size();
    CHECK(limits.sources() == 100);
    CHECK(said == 120);
    CHECK(limits.pass("tenant 5000", "later", begin + seconds(61)) ==
          Lines{"880 further messages of other sources were left out", "later"});
    CHECK(limits.sources() == 1);
}

}  // namespace
}  // namespace echelon::base

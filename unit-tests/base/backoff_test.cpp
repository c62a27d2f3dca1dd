#include "base/backoff.hpp"

#include <doctest/doctest.h>

namespace echelon::base {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_CASE("waits double from the first up to the limit") {
    Backoff backoff(milliseconds(800), seconds(30), minutes(2));
    Backoff::Instant now{minutes(100)};
    for (const int expected : {799, 1599, 3199, 6399, 12799, 25599, 29999, 29999}) {
        const milliseconds wait = backoff.next(now, 0.9999999);
        CHECK(wait == milliseconds(expected));
        now += wait;
    }
}

TEST_CASE("a wait is drawn from the whole step, but never so small that it hammers") {
    Backoff backoff(milliseconds(800), seconds(30), minutes(2));
    const Backoff::Instant now{minutes(100)};
    CHECK(backoff.next(now, 0.5) == milliseconds(400));
    CHECK(backoff.next(now, 0.25) == milliseconds(400));
    CHECK(backoff.next(now, 0.0) == milliseconds(200));
}

TEST_CASE("two quiet minutes after a wait begin anew, one does not") {
    Backoff backoff(milliseconds(800), seconds(30), minutes(2));
    Backoff::Instant now{minutes(100)};
    now += backoff.next(now, 0.5);
    now += backoff.next(now, 0.5);
    now += minutes(1);
    const milliseconds third = backoff.next(now, 0.5);
    CHECK(third == milliseconds(1600));
    now += third + minutes(2) + milliseconds(1);
    CHECK(backoff.next(now, 0.5) == milliseconds(400));
}

}  // namespace
}  // namespace echelon::base

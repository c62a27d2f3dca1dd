#include "kube/client/token_bucket.hpp"

#include <doctest/doctest.h>

namespace echelon::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST_CASE("a burst goes out at once and the rest at the rate") {
    TokenBucket bucket(10, 3);
    const TokenBucket::Instant now{seconds(1000)};
    for (int i = 0; i < 3; ++i)
        CHECK(bucket.take(now) == nanoseconds(0));
    CHECK(bucket.take(now) == milliseconds(100));
    CHECK(bucket.take(now) == milliseconds(200));
}

TEST_CASE("time refills the bucket, up to the burst only") {
    TokenBucket bucket(10, 2);
    TokenBucket::Instant now{seconds(1000)};
    for (int i = 0; i < 3; ++i)
        static_cast<void>(bucket.take(now));
    now += milliseconds(100);
    CHECK(bucket.take(now) == milliseconds(100));
    now += seconds(3600);
    CHECK(bucket.take(now) == nanoseconds(0));
    CHECK(bucket.take(now) == nanoseconds(0));
    CHECK(bucket.take(now) > nanoseconds(0));
}

TEST_CASE("a clock that doesn't advance or a rate of zero never divides by zero") {
    TokenBucket bucket(0, 0);
    const TokenBucket::Instant now{seconds(1)};
    CHECK(bucket.take(now) == nanoseconds(0));
    CHECK(bucket.take(now) > seconds(1));
}

}  // namespace
}  // namespace echelon::kube

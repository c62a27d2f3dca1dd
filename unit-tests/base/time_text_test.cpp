// Is a moment written as Kubernetes writes it?

#include "base/time_text.hpp"

#include <chrono>

#include <doctest/doctest.h>

namespace echelon::base {
namespace {

constexpr std::chrono::sys_seconds noon =
    std::chrono::sys_days(std::chrono::January / 31 / 2026) + std::chrono::hours(12);

TEST_CASE("a moment is written in UTC, to the second") {
    CHECK(time_text(noon) == "2026-01-31T12:00:00Z");
    CHECK(time_text({}) == "1970-01-01T00:00:00Z");
}

TEST_CASE("microseconds always have six digits, and nanoseconds are cut off") {
    CHECK(time_text_with_microseconds(noon) == "2026-01-31T12:00:00.000000Z");
    CHECK(time_text_with_microseconds(noon + std::chrono::microseconds(42)) == "2026-01-31T12:00:00.000042Z");
    CHECK(time_text_with_microseconds(noon + std::chrono::nanoseconds(999'999'999)) == "2026-01-31T12:00:00.999999Z");
}

}  // namespace
}  // namespace echelon::base

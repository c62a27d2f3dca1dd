#include "base/go_duration.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::base {
namespace {

constexpr std::int64_t second = 1'000'000'000;

TEST_CASE("durations are read as Go reads them") {
    struct Row {
        const char* text;
        std::optional<std::int64_t> nanoseconds;
    };
    const std::vector<Row> rows = {{"0", 0},
                                   {"-0", 0},
                                   {"600s", 600 * second},
                                   {"1h30m", 5400 * second},
                                   {"1.5h", 5400 * second},
                                   {"+90s", 90 * second},
                                   {"-90s", -90 * second},
                                   {".5m", 30 * second},
                                   {"1.m", 60 * second},
                                   {"1ns", 1},
                                   {"1000ms", second},
                                   {"1001ms", 1'001'000'000},
                                   {"\u00b5s", std::nullopt},
                                   {"2\u00b5s", 2'000},
                                   {"2\u03bcs", 2'000},
                                   {"2562047h", second * 3'600 * 2'562'047},
                                   {"0.000000000000000000001s", 0}};
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(nanoseconds_of_go_duration(row.text) == row.nanoseconds);
    }
}

TEST_CASE("what Go can't read isn't a duration") {
    for (const char* text : {"", "-", "+", "5", "s", "5 s", " 5s", "5s ", "5S", "1d", ".s", "1..5s", "1h30", "--5s",
                             "0x5s", "1e3s", "2562048h", "9223372037s", "99999999999999999999s"}) {
        CAPTURE(text);
        CHECK_FALSE(nanoseconds_of_go_duration(text));
    }
}

TEST_CASE("a unit that has begun counts in full") {
    CHECK(rounded_up(0, second) == 0);
    CHECK(rounded_up(1, second) == 1);
    CHECK(rounded_up(second, second) == 1);
    CHECK(rounded_up(second + 1, second) == 2);
}

}  // namespace
}  // namespace echelon::base

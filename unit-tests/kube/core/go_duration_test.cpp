#include "kube/core/go_duration.hpp"

#include <optional>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::kube {
namespace {

TEST_CASE("durations are read as Go reads them, in whole seconds") {
    struct Row {
        const char* text;
        std::optional<std::int64_t> seconds;
    };
    const std::vector<Row> rows = {{"0", 0},
                                   {"600s", 600},
                                   {"1h30m", 5400},
                                   {"1.5h", 5400},
                                   {"+90s", 90},
                                   {"-90s", 0},
                                   {".5m", 30},
                                   {"1.m", 60},
                                   {"1ns", 1},
                                   {"1000ms", 1},
                                   {"1001ms", 2},
                                   {"7000ms", 7},
                                   {"\u00b5s", std::nullopt},
                                   {"2\u00b5s", 1},
                                   {"2562047h", 9'223'369'200},
                                   {"0.000000000000000000001s", 0}};
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(seconds_of_go_duration(row.text) == row.seconds);
    }
}

TEST_CASE("what Go can't read isn't a duration") {
    for (const char* text : {"", "-", "+", "5", "s", "5 s", " 5s", "5s ", "5S", "1d", ".s", "1..5s", "1h30", "--5s",
                             "0x5s", "1e3s", "2562048h", "9223372037s", "99999999999999999999s"}) {
        CAPTURE(text);
        CHECK_FALSE(seconds_of_go_duration(text));
    }
}

}  // namespace
}  // namespace echelon::kube

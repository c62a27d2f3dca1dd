#include "kube/core/quantity.hpp"

#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

namespace echelon::kube {
namespace {

TEST_CASE("quantities become whole numbers, rounded up") {
    struct Row {
        std::string text;
        std::int64_t whole;
        std::int64_t thousandths;
    };
    const Row rows[] = {
        {"0", 0, 0},
        {"-0", 0, 0},
        {"1", 1, 1000},
        {"+1", 1, 1000},
        {"007", 7, 7000},
        {"1.", 1, 1000},
        {".5", 1, 500},
        {"100m", 1, 100},
        {"1500m", 2, 1500},
        {"0.1", 1, 100},
        {"0.0001", 1, 1},
        {"1u", 1, 1},
        {"1n", 1, 1},
        {"1000000u", 1, 1000},
        {"1k", 1000, 1'000'000},
        {"2M", 2'000'000, 2'000'000'000},
        {"3G", 3'000'000'000, 3'000'000'000'000},
        {"1Ki", 1024, 1'024'000},
        {"1.5Gi", 1'610'612'736, 1'610'612'736'000},
        {"0.1Ki", 103, 102'400},
        {"1e3", 1000, 1'000'000},
        {"1E3", 1000, 1'000'000},
        {"12e-1", 2, 1200},
        {"5E+2", 500, 500'000},
        {"0e99999999", 0, 0},
        {"1e-99999999", 1, 1},
        {"128974848000m", 128'974'848, 128'974'848'000},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(parse_quantity(row.text, Unit::whole) == row.whole);
        CHECK(parse_quantity(row.text, Unit::thousandth) == row.thousandths);
    }
}

TEST_CASE("large quantities are exact up to the largest int64, which is also more than that") {
    CHECK(parse_quantity("9223372036854775807", Unit::whole) == INT64_MAX);
    CHECK(parse_quantity("9223372036854775806.1", Unit::whole) == INT64_MAX);
    CHECK(parse_quantity("7Ei", Unit::whole) == 7LL << 60);
    CHECK(parse_quantity("9E", Unit::whole) == 9'000'000'000'000'000'000);
    for (const std::string text :
         {"9223372036854775808", "9223372036854775807.1", "8Ei", "10E", "1e30", "1e99999999999999999"}) {
        CAPTURE(text);
        CHECK(parse_quantity(text, Unit::whole) == INT64_MAX);
    }
    CHECK(parse_quantity("9223372036854775807", Unit::thousandth) == INT64_MAX);
}

TEST_CASE("what is no quantity is refused in a sentence that quotes it") {
    for (const std::string text : {"",   "abc", "0x10",  "1.2.3", "--1", "+-1", "1 ", " 1", "1KB", "1ki",   "1mi",
                                   "1e", "1e+", "1e1.5", "e3",    ".",   "-",   "m",  "Ki", "1,5", "1_000", "١"}) {
        CAPTURE(text);
        const auto read = parse_quantity(text, Unit::whole);
        REQUIRE_FALSE(read);
        CHECK(read.error().sentence == "\"" + std::string(text) + "\" isn't a quantity");
    }
    CHECK(parse_quantity("-1", Unit::whole).error().sentence == "\"-1\" is negative");
    CHECK(parse_quantity("-1e30", Unit::whole).error().sentence == "\"-1e30\" is negative");
    CHECK(parse_quantity("-1n", Unit::whole).error().sentence == "\"-1n\" is negative");
    const auto endless = parse_quantity(std::string(100'000, '1'), Unit::whole);
    REQUIRE_FALSE(endless);
    CHECK(endless.error().sentence.size() < 200);
}

TEST_CASE("numbers of JSON are quantities as they are written") {
    CHECK(read_quantity(nlohmann::json(4), Unit::thousandth) == 4000);
    CHECK(read_quantity(nlohmann::json(0.1), Unit::thousandth) == 100);
    CHECK(read_quantity(nlohmann::json(1.5), Unit::whole) == 2);
    CHECK(read_quantity(nlohmann::json(1e18), Unit::whole) == 1'000'000'000'000'000'000);
    CHECK(read_quantity(nlohmann::json("2"), Unit::whole) == 2);
    CHECK(read_quantity(nlohmann::json(1e30), Unit::whole) == INT64_MAX);
    CHECK(read_quantity(nlohmann::json(-1), Unit::whole).error().sentence == "\"-1\" is negative");
    CHECK(read_quantity(nlohmann::json(18446744073709551615U), Unit::whole) == INT64_MAX);
    CHECK(read_quantity(nlohmann::json(true), Unit::whole).error().sentence == "true isn't a quantity");
    CHECK(read_quantity(nlohmann::json::array(), Unit::whole).error().sentence == "a list isn't a quantity");
}

TEST_CASE("only cpu is counted in thousandths") {
    CHECK(unit_of("cpu") == Unit::thousandth);
    for (const char* name : {"memory", "pods", "nvidia.com/gpu", "CPU", "example.com/cpu"}) {
        CHECK(unit_of(name) == Unit::whole);
    }
}

TEST_CASE("a number in any spelling is the same amount") {
    CHECK(rc::check([](std::uint32_t number) {
        const std::string digits = std::to_string(number);
        const auto expected = static_cast<std::int64_t>(number);
        RC_ASSERT(*parse_quantity(digits, Unit::whole) == expected);
        RC_ASSERT(*parse_quantity(digits + "000m", Unit::whole) == expected);
        RC_ASSERT(*parse_quantity(digits + "Ki", Unit::whole) == expected * 1024);
        RC_ASSERT(*parse_quantity(digits + "e3", Unit::whole) == expected * 1000);
        RC_ASSERT(*parse_quantity(digits + "m", Unit::whole) == (expected + 999) / 1000);
        RC_ASSERT(*parse_quantity(digits + "m", Unit::thousandth) == expected);
    }));
}

}  // namespace
}  // namespace echelon::kube

#include "config/scalars.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

namespace echelon::config {
namespace {

TEST_CASE("durations are written as in Go") {
    struct Row {
        std::string text;
        std::int64_t milliseconds;
    };
    const Row rows[] = {
        {"0", 0},
        {"0s", 0},
        {"-0s", 0},
        {"50ms", 50},
        {"1m30s", 90'000},
        {"1.5h", 5'400'000},
        {"+2s", 2'000},
        {".5s", 500},
        {"1.s", 1'000},
        {"1h1m1s1ms", 3'661'001},
        {"1ns", 1},
        {"1us", 1},
        {"1500\u00b5s", 2},
        {"1000us", 1},
        {"999999\u03bcs", 1'000},
        {"3s3s", 6'000},
        {"2562047h", 9'223'369'200'000},
        {"0.000000000000000000001h", 0},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const auto read = parse_duration(row.text);
        REQUIRE(read);
        CHECK(read->count() == row.milliseconds);
    }
}

TEST_CASE("what isn't a duration is refused") {
    for (const std::string text : {"",
                                   "5",
                                   "1.5",
                                   "s",
                                   "-",
                                   "+",
                                   ".s",
                                   "1 s",
                                   " 1s",
                                   "1s ",
                                   "1d",
                                   "1S",
                                   "0x1s",
                                   "1e3s",
                                   "--1s",
                                   "1s-1s",
                                   "inf",
                                   "3000000h",
                                   "99999999999999999999s",
                                   "9223372036854775807s"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_duration(text));
    }
    CHECK(parse_duration("-1ms").error() == "\"-1ms\" is negative");
}

TEST_CASE("whole milliseconds are read exactly") {
    CHECK(rc::check([](std::uint32_t number) {
        RC_ASSERT(parse_duration(fmt::format("{}ms", number))->count() == number);
        RC_ASSERT(parse_duration(fmt::format("{}s{}ms", number / 1000, number % 1000))->count() == number);
        RC_ASSERT(parse_duration(fmt::format("{}.{:03}s", number / 1000, number % 1000))->count() == number);
    }));
}

TEST_CASE("addresses are a host and a port") {
    CHECK(parse_address("127.0.0.1:9300") == Address{"127.0.0.1", 9300});
    CHECK(parse_address("localhost:1") == Address{"localhost", 1});
    CHECK(parse_address("echelon.kube-system.svc:65535") == Address{"echelon.kube-system.svc", 65535});
    CHECK(parse_address("[::1]:80") == Address{"::1", 80});
    for (const std::string text : {"",
                                   ":",
                                   ":9300",
                                   "127.0.0.1",
                                   "127.0.0.1:",
                                   "127.0.0.1:0",
                                   "127.0.0.1:65536",
                                   "127.0.0.1:-1",
                                   "127.0.0.1:+1",
                                   "127.0.0.1:x",
                                   "127.0.0.1:80 ",
                                   "1.2.3:80",
                                   "300.1.1.1:80",
                                   "1:80",
                                   "::1:80",
                                   "[::1:80",
                                   "[::g]:80",
                                   "[127.0.0.1]:80",
                                   "http://a:80",
                                   "a b:80",
                                   "-a:80",
                                   "a..b:80",
                                   "a/b:80"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_address(text));
    }
}

TEST_CASE("only addresses of this machine are on loopback") {
    for (const std::string host : {"127.0.0.1", "127.8.9.1", "localhost", "::1", "::ffff:127.0.0.1"}) {
        CAPTURE(host);
        CHECK(Address{host, 1}.is_loopback());
    }
    for (const std::string host : {"", "0.0.0.0", "10.0.0.1", "::", "::2", "::ffff:10.0.0.1", "127.evil.com",
                                   "localhost.evil.com", "1127.0.0.1", "128.0.0.1"}) {
        CAPTURE(host);
        CHECK_FALSE(Address{host, 1}.is_loopback());
    }
}

TEST_CASE("an address is written as it is read") {
    for (const char* text : {"127.0.0.1:9300", "[::]:9300", "localhost:1"}) {
        const auto address = parse_address(text);
        REQUIRE(address);
        CHECK(address->text() == text);
    }
}

}  // namespace
}  // namespace echelon::config

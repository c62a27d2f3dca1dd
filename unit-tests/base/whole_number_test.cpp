#include "base/whole_number.hpp"

#include <cstdint>

#include <doctest/doctest.h>

namespace echelon::base {
namespace {

TEST_CASE("a number is the whole text, and fits its type") {
    CHECK(whole_number<std::int64_t>("-12") == -12);
    CHECK(whole_number<std::uint32_t>("0012") == 12U);
    CHECK(whole_number<std::uint64_t>("ff", 16) == 255U);
    for (const char* text : {"", "-", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "one", "99999999999999999999"}) {
        CAPTURE(text);
        CHECK_FALSE(whole_number<std::int64_t>(text));
    }
    CHECK_FALSE(whole_number<std::uint32_t>("-1"));
    CHECK_FALSE(whole_number<std::int32_t>("2147483648"));
}

}  // namespace
}  // namespace echelon::base

#include "base/ascii.hpp"

#include <string>

#include <doctest/doctest.h>

namespace echelon::base {
namespace {

std::string all_that(bool (*is_kind)(char)) {
    std::string found;
    for (int byte = 0; byte < 256; ++byte) {
        if (const auto c = static_cast<char>(byte); is_kind(c))
            found += c;
    }
    return found;
}

TEST_CASE("kinds of ASCII characters") {
    const std::string digits = "0123456789";
    const std::string lower = "abcdefghijklmnopqrstuvwxyz";
    const std::string upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    CHECK(all_that(is_digit) == digits);
    CHECK(all_that(is_lower) == lower);
    CHECK(all_that(is_upper) == upper);
    CHECK(all_that(is_letter) == upper + lower);
    CHECK(all_that(is_alphanumeric) == digits + upper + lower);
    for (std::size_t at = 0; at < upper.size(); ++at) {
        CHECK(to_lower(upper[at]) == lower[at]);
        CHECK(to_lower(lower[at]) == lower[at]);
    }
    CHECK(to_lower('[') == '[');
    CHECK(to_lower('\xc4') == '\xc4');
}

}  // namespace
}  // namespace echelon::base

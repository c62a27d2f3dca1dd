#include "base/utf8.hpp"

#include <string>

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace echelon::base {
namespace {

TEST_CASE("each code point is one column wide") {
    CHECK(utf8_width("") == 0);
    CHECK(utf8_width("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80") == 4);
}

TEST_CASE("any bytes become UTF-8, and what is UTF-8 stays as it is") {
    CHECK(as_utf8("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80") == "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    const std::string bad = "\xEF\xBF\xBD";
    CHECK(as_utf8("\xff") == bad);
    CHECK(as_utf8("a\xc3") == "a" + bad);
    CHECK(as_utf8("\xc0\x80") == bad + bad);            // Overlong.
    CHECK(as_utf8("\xed\xa0\x80") == bad + bad + bad);  // Half of a pair.
    CHECK(rc::check([] {
        const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
        const std::string once = as_utf8(bytes);
        RC_ASSERT(as_utf8(once) == once);
    }));
}

}  // namespace
}  // namespace echelon::base

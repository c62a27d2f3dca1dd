// Is every name in a sentence readable, whatever characters an object puts into it?

#include "base/quoted.hpp"

#include <string>

#include <doctest/doctest.h>

namespace echelon::base {
namespace {

TEST_CASE("a name is quoted, and its control characters are question marks") {
    CHECK(quoted("default/x") == "\"default/x\"");
    CHECK(quoted("") == "\"\"");
    CHECK(quoted(std::string("a\nb\x7f\0", 5)) == "\"a?b??\"");
    CHECK(quoted("\xc3\xa4") == "\"\xc3\xa4\"");  // UTF-8 stays.
}

TEST_CASE("a message is cut at a whole character, and is on one line") {
    CHECK(on_one_line("too\nold\x7f", 300) == "too?old?");
    CHECK(on_one_line("a\xc3\xa4", 2) == "a");
    CHECK(on_one_line("a\xc3\xa4", 3) == "a\xc3\xa4");
}

}  // namespace
}  // namespace echelon::base

#include "server/http/json_text.hpp"

#include <string_view>

#include <doctest/doctest.h>

namespace echelon::server {

TEST_CASE("printable text has no control characters and a limit") {
    CHECK(printable("a\r\nb\xff") == "a??b?");
    CHECK(printable("abcdef", 3) == "abc...");
}

TEST_CASE("the first value ends where its bracket closes") {
    CHECK(length_of_value(R"( {"a":"}"} tail)") == 10);
    CHECK(length_of_value("{") == std::string_view::npos);
    CHECK(length_of_value("x{}") == std::string_view::npos);
}

}  // namespace echelon::server

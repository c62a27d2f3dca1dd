#include "server/http/json_text.hpp"

#include <doctest/doctest.h>

namespace echelon::server {

TEST_CASE("printable text has no control characters and a limit") {
    CHECK(printable("a\r\nb\xff") == "a??b?");
    CHECK(printable("abcdef", 3) == "abc...");
}

}  // namespace echelon::server

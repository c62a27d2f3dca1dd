#include "app/version.hpp"

#include <doctest/doctest.h>

TEST_CASE("the version is one line with version and commit") {
    const auto line = echelon::app::version_line();
    CHECK(line.starts_with("echelon "));
    CHECK(line.find(" (") != std::string::npos);
    CHECK(line.ends_with(")"));
    CHECK(line.find('\n') == std::string::npos);
}

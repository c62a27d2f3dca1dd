#include "base/shortened.hpp"

#include <string>

#include <doctest/doctest.h>

using echelon::base::beginning;
using echelon::base::shortened;

TEST_CASE("a text within its bound stays as it is, a longer one says that it was cut") {
    CHECK(shortened("abc", 3) == "abc");
    const std::string cut = shortened(std::string(5000, 'x'), 100);
    CHECK(cut.size() <= 100);
    CHECK(cut == std::string(77, 'x') + "... (77 of 5000 bytes)");
    CHECK(shortened(std::string(50, 'x'), 10) == std::string(10, 'x'));
}

TEST_CASE("no character is cut in two") {
    CHECK(beginning("a\u00e9", 2) == "a");
    CHECK(beginning("a\u00e9", 3) == "a\u00e9");
    std::string text;
    while (text.size() < 500)
        text += "\u20ac";
    for (std::size_t most = 40; most < 60; ++most) {
        const std::string cut = shortened(text, most);
        CHECK(cut.size() <= most);
        CHECK(cut.find("...") % 3 == 0);
    }
}

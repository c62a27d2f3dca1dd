#include "server/http/json_text.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::server {

TEST_CASE("quoted text can always be decoded, and says the same when it was UTF-8") {
    for (const std::string& text : {std::string("n1"), std::string("a\"b\\c"), std::string("\x01\n\x7f"),
                                    std::string("größe \xF0\x9F\x98\x80")}) {
        std::string quoted;
        append_quoted(quoted, text);
        CHECK(nlohmann::json::parse(quoted).get<std::string>() == text);
    }
    for (const char* text :
         {"\xff", "a\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80"}) {
        CAPTURE(text);
        std::string quoted;
        append_quoted(quoted, text);
        CHECK(nlohmann::json::parse(quoted).get<std::string>().find("\xEF\xBF\xBD") != std::string::npos);
    }
}

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

#include "base/json_strings.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::base {

TEST_CASE("quoted text can always be decoded, and says the same when it was UTF-8") {
    for (const std::string& text : {std::string("n1"), std::string("a\"b\\c"), std::string("\x01\n\x7f"),
                                    std::string("größe \xF0\x9F\x98\x80")}) {
        std::string quoted;
        append_json_string(quoted, text);
        CHECK(nlohmann::json::parse(quoted).get<std::string>() == text);
    }
    for (const char* text :
         {"\xff", "a\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80"}) {
        CAPTURE(text);
        std::string quoted;
        append_json_string(quoted, text);
        CHECK(nlohmann::json::parse(quoted).get<std::string>().find("\xEF\xBF\xBD") != std::string::npos);
    }
}

}  // namespace echelon::base

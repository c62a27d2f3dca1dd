#include "kube/json/quoted_text.hpp"

#include "kube/json/value.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using echelon::kube::shown;

TEST_CASE("a foreign text is quoted on one line, and a terminal has nothing to act on") {
    struct Row {
        std::string text;
        std::string quoted;
    };
    const Row rows[] = {
        {"", R"("")"},
        {"a \"b\"", R"("a \"b\"")"},
        {"a\nb\x1b[31m", R"("a\nb\u001b[31m")"},
        {"del\x7f", R"("del\u007f")"},
        {"csi\xc2\x9b"
         "31m\xc2\x85",
         R"("csi\u009b31m\u0085")"},
        {"no-break\xc2\xa0space, \xc3\xa9", "\"no-break\xc2\xa0space, \xc3\xa9\""},
        {"\xff", "\"\xef\xbf\xbd\""},
    };
    for (const Row& row : rows)
        CHECK(shown(row.text) == row.quoted);
}

TEST_CASE("a long text is cut between two characters") {
    CHECK(shown(std::string(119, 'a') + "\xc3\xa9") == "\"" + std::string(119, 'a') + "...\"");
    CHECK(shown(std::string(120, 'a')) == "\"" + std::string(120, 'a') + "\"");
    CHECK(shown(nlohmann::json(std::string(121, 'a'))) == "\"" + std::string(120, 'a') + "...\"");
}

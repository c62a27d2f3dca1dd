#include "server/http/json_syntax.hpp"

#include <cstdint>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::server {
namespace {

bool is_sound(std::string_view text) {
    const auto judged = judge_value(text);
    return judged.syntax == Syntax::sound && judged.length == text.size();
}

// Numbers that look random and are the same in every run.
class Dice {
public:
    std::size_t below(std::size_t end) {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return (state_ >> 33U) % end;
    }

private:
    std::uint64_t state_ = 7;
};

}  // namespace

TEST_CASE("each way to break JSON is found, and each way to write it is taken") {
    for (const char* good : {"{}", "[]", "0", "-0", "-12.50e+3", "1E-2", "true", "false", "null", R"("")",
                             R"("\u00e9\n\"\\\/")", R"( {"a" : [1, {"b":null} ,[ ]] , "" : {}})"}) {
        CAPTURE(good);
        CHECK(is_sound(good));
    }
    for (const char* bad :
         {"",    " ",        ";",         "{",        "}",         "[",          "]",           "{]",
          "[}",  "{;}",      "{\"a\"}",   "{\"a\":}", "{\"a\":;}", "{\"a\":1,}", "[1,]",        "[,1]",
          "{,}", "{1:2}",    "{\"a\" 1}", "[1 2]",    "01",        "1.",         ".5",          "-",
          "1e",  "+1",       "tru",       "nul",      "NaN",       R"("\q")",    R"("\u12g4")", R"("\)",
          "\"a", "\"a\nb\"", "'a'",       "{\"a\":1", "[[]"}) {
        CAPTURE(bad);
        CHECK_FALSE(is_sound(bad));
    }
}

TEST_CASE("a value ends where it ends, whatever comes behind it") {
    CHECK(judge_value(R"( {"a":"}"} tail)").length == 10);
    CHECK(judge_value("[1]]").length == 3);
    CHECK(judge_value("12abc").length == 2);
}

TEST_CASE("64 levels are taken, and one more is too deep") {
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    CHECK(judge_value(nested(64)).syntax == Syntax::sound);
    CHECK(judge_value(nested(65)).syntax == Syntax::too_deep);
    CHECK(judge_value(std::string(1'000'000, '[')).syntax == Syntax::too_deep);
}

TEST_CASE("20,000 broken documents are judged as another parser judges them") {
    const std::string good =
        R"({"metadata":{"name":"a","labels":{"x":"y\u0041"}},"n":[0,-1.5e3,true,null,{}],"status":{"c":[{"d":false}]}})";
    constexpr std::string_view bytes = "{}[]\",:;\\0123456789-+.eEtfnaul x";
    Dice dice;
    int sound = 0;
    for (int at = 0; at < 20'000; ++at) {
        std::string text = good;
        for (std::size_t changes = 1 + dice.below(2); changes > 0; --changes) {
            const auto place = dice.below(text.size());
            if (dice.below(2) == 0) {
                text[place] = bytes[dice.below(bytes.size())];
            } else {
                text.erase(place, 1);
            }
        }
        const bool expected = nlohmann::json::accept(text);
        sound += expected ? 1 : 0;
        CAPTURE(text);
        REQUIRE(is_sound(text) == expected);
    }
    CHECK(sound > 1'000);  // Both kinds are among them.
}

}  // namespace echelon::server

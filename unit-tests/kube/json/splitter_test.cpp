#include "kube/json/splitter.hpp"

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

namespace echelon::kube {
namespace {

using nlohmann::json;

struct SplitList {
    std::vector<std::string> items = {};
    std::map<std::string, std::string> members = {};
    int overlong = 0;
    bool accepted = true;
    bool complete = false;
};

SplitList split_list(const std::string& text, std::size_t step) {
    SplitList result;
    ListSplitter splitter([&](std::string_view item) { result.items.emplace_back(item); },
                          [&](std::string_view key, std::string_view member) { result.members.emplace(key, member); },
                          [&](std::string_view) { ++result.overlong; });
    for (std::size_t at = 0; at < text.size() && result.accepted; at += step)
        result.accepted = splitter.feed(std::string_view(text).substr(at, step));
    result.complete = splitter.complete();
    return result;
}

TEST_CASE("lines come out whole, wherever the stream was cut") {
    const std::string text = "{\"a\":1}\n\n{\"b\":2}\n{\"c\":3}\nrest";
    for (std::size_t step = 1; step <= text.size(); ++step) {
        CAPTURE(step);
        std::vector<std::string> lines;
        const auto take = [&](std::string_view line) {
            lines.emplace_back(line);
            return true;
        };
        LineSplitter splitter(take, take);
        for (std::size_t at = 0; at < text.size(); at += step)
            CHECK(splitter.feed(std::string_view(text).substr(at, step)));
        CHECK(lines == std::vector<std::string>{"{\"a\":1}", "{\"b\":2}", "{\"c\":3}"});
    }
}

TEST_CASE("a list with a member without a name is read like every other") {
    const auto result = split_list(R"({"kind":"L","":"x","items":[{"a":1}],"metadata":{}})", 3);
    CHECK(result.accepted);
    CHECK(result.complete);
    CHECK(result.items == std::vector<std::string>{R"({"a":1})"});
    CHECK(result.members.at("") == R"("x")");
    CHECK(result.members.contains("metadata"));
}

TEST_CASE("a taker that wants no more lines ends the stream") {
    int taken = 0;
    const auto take = [&](std::string_view) { return ++taken < 2; };
    LineSplitter splitter(take, take);
    CHECK_FALSE(splitter.feed("1\n2\n3\n"));
    CHECK(taken == 2);
    CHECK_FALSE(splitter.is_inside_line());
}

TEST_CASE("a line of 4 MiB passes, of a longer one only the front is kept, and the lines behind it come") {
    std::vector<std::size_t> whole;
    std::vector<std::string> fronts;
    LineSplitter splitter(
        [&](std::string_view line) {
            whole.push_back(line.size());
            return true;
        },
        [&](std::string_view front) {
            fronts.emplace_back(front);
            return true;
        });
    CHECK(splitter.feed(std::string(longest_piece, 'x')));
    CHECK(splitter.feed("\n"));
    CHECK(splitter.feed("head" + std::string(longest_piece, 'y')));
    CHECK(splitter.feed(std::string(longest_piece, 'z')));
    CHECK(splitter.is_inside_line());
    CHECK(splitter.feed("tail\nnext\n"));
    CHECK_FALSE(splitter.is_inside_line());
    CHECK(whole == std::vector<std::size_t>{longest_piece, 4});
    REQUIRE(fronts.size() == 1);
    CHECK(fronts.front().size() == longest_piece);
    CHECK(fronts.front().starts_with("heady"));
}

TEST_CASE("a line that doesn't end in 64 MiB ends the stream, and no more than 4 MiB of it are kept") {
    const auto take = [](std::string_view) { return true; };
    LineSplitter splitter(take, take);
    const std::string piece(longest_piece, 'x');
    std::size_t fed = 0;
    while (splitter.feed(piece) && fed <= longest_line)
        fed += piece.size();
    CHECK(fed == longest_line);
    CHECK(splitter.is_inside_line());
}

TEST_CASE("a list falls into items and members, wherever it was cut and however it is ordered") {
    const json list = {
        {"apiVersion", "v1"},
        {"items", {{{"a", "br]ace}\" , \\"}, {"b", {1, 2, {{"items", {1, 2}}}}}}, {{"c", json::array()}}}},
        {"metadata", {{"continue", "a,b:c"}, {"resourceVersion", "12"}}}};
    const std::string texts[] = {list.dump(), list.dump(4),
                                 R"({"metadata":{"resourceVersion":"12","continue":"a,b:c"},"items":)" +
                                     list["items"].dump() + R"(,"apiVersion":"v1"})"};
    for (const std::string& text : texts) {
        for (std::size_t step = 1; step <= text.size(); ++step) {
            const SplitList split = split_list(text, step);
            REQUIRE(split.accepted);
            REQUIRE(split.complete);
            REQUIRE(split.items.size() == 2);
            REQUIRE(json::parse(split.items[0]) == list["items"][0]);
            REQUIRE(json::parse(split.items[1]) == list["items"][1]);
            REQUIRE(json::parse(split.members.at("metadata")) == list["metadata"]);
            REQUIRE(split.members.at("apiVersion") == "\"v1\"");
            REQUIRE_FALSE(split.members.contains("items"));
        }
    }
}

TEST_CASE("an empty list has no items, and null instead of a list is none either") {
    for (const char* text :
         {R"({"items":[],"metadata":{}})", R"({"items":null,"metadata":{}})", R"({"metadata":{}})"}) {
        CAPTURE(text);
        const SplitList split = split_list(text, 3);
        CHECK(split.complete);
        CHECK(split.items.empty());
        CHECK(split.members.at("metadata") == "{}");
    }
}

TEST_CASE("a list that ends early isn't complete, and what isn't an object isn't a list") {
    const std::string whole = R"({"items":[{"a":1}],"metadata":{"resourceVersion":"1"}})";
    for (std::size_t size = 0; size < whole.size(); ++size)
        CHECK_FALSE(split_list(whole.substr(0, size), 5).complete);
    for (const char* text : {"[1]", "\"x\"", "<html>", "12", "}", "{}x"}) {
        CAPTURE(text);
        CHECK_FALSE(split_list(text, 1).accepted);
    }
}

TEST_CASE("a list whose brackets don't fit isn't complete, since items may be lost in it") {
    for (const char* items :
         {R"({"a":1}},{"b":2})", R"({"a":{"x":1},{"b":2})", R"({"a":"x},{"b":2})", R"({"a":1}],{"b":2})"}) {
        CAPTURE(items);
        const SplitList split = split_list("{\"items\":[" + std::string(items) + "],\"metadata\":{}}", 7);
        CHECK_FALSE(split.complete);
    }
    const SplitList odd = split_list(R"({"items":[{"a":[}},{"b":2}],"metadata":{}})", 7);
    CHECK(odd.complete);
    CHECK(odd.items.size() == 2);
}

TEST_CASE("an item that is too long is left out and counted, the others stay") {
    const std::string big = "{\"a\":\"" + std::string(longest_piece, 'x') + "\"}";
    const SplitList split = split_list("{\"items\":[{\"b\":1}," + big + ",{\"c\":2}],\"metadata\":{}}", 4096);
    CHECK(split.complete);
    CHECK(split.overlong == 1);
    CHECK(split.items == std::vector<std::string>{"{\"b\":1}", "{\"c\":2}"});
}

TEST_CASE("arbitrary bytes never crash the list splitter") {
    CHECK(rc::check([] {
        const auto text =
            *rc::gen::container<std::string>(rc::gen::element('{', '}', '[', ']', '"', ',', ':', '\\', 'a', ' '));
        const SplitList split = split_list("{\"items\":[" + text, 2);
        RC_ASSERT(split.items.size() <= text.size() + 1);
    }));
}

TEST_CASE("objects are parsed up to a depth of 64 and refused beyond, as are other values") {
    const auto nested = [](int depth) {
        std::string text = "{\"a\":1}";
        for (int i = 1; i < depth; ++i)
            text = "{\"a\":" + text + "}";
        return text;
    };
    CHECK(parse_object(nested(deepest_nesting)).has_value());
    CHECK_FALSE(parse_object(nested(deepest_nesting + 1)).has_value());
    CHECK(parse_object(R"({"a":"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\""})")
              .has_value());
    for (const char* text : {"", "[]", "1", "null", "{", "{}x", "{\"a\":\"\xff\"}"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_object(text).has_value());
    }
}

}  // namespace
}  // namespace echelon::kube

#include "kube/json/json_documents.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <simdjson.h>

namespace echelon::kube {
namespace {

using nlohmann::json;

struct Read {
    std::vector<std::pair<std::string, json>> objects;  // Place and object.
    std::string fault;
    std::size_t length = 0;
};

Read read(std::string text, std::size_t number = 1) {
    Read out;
    text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    const auto length =
        read_json_document(text, number, [&out](const Value& object, const std::string& place) -> KeepObject {
            return [&out, place, tree = object.tree()]() -> base::Result<void> {
                out.objects.emplace_back(place, tree);
                return {};
            };
        });
    if (length) {
        out.length = *length;
    } else {
        out.fault = length.error().sentence;
    }
    return out;
}

TEST_CASE("values of JSON arrive unchanged") {
    const std::string text =
        R"({"s": "a\"}\\", "i": -9223372036854775808, "u": 18446744073709551615, "d": 0.1, "e": 1e3,
        "t": true, "f": false, "n": null, "l": [[], {}, [1, "x"]], "": {"é": "\u00e9"}})";
    const Read got = read(text);
    CHECK(got.fault == "");
    CHECK(got.length == text.size());
    REQUIRE(got.objects.size() == 1);
    CHECK(got.objects[0].first == "document 1");
    const json expected = json::parse(text);
    CHECK(got.objects[0].second == expected);
    CHECK(got.objects[0].second["e"].is_number_float());
    CHECK(got.objects[0].second["u"].is_number_unsigned());
}

TEST_CASE("a document ends where its brackets close, wherever brackets stand in its texts") {
    for (const std::string first :
         {R"({"a": "}"})", R"({"a": "\""})", R"({"a": "\\"})", R"({"a": {"b": [{}]}})", "{}"}) {
        CAPTURE(first);
        CHECK(read(first + R"({"next": 1})").length == first.size());
        CHECK(read(first + " garbage }").length == first.size());
    }
}

TEST_CASE("the items of a list are taken one by one with their places") {
    const Read got = read(R"({"items": [{"a": 1}, 7, null], "apiVersion": "v1", "kind": "PodList"})", 4);
    REQUIRE(got.objects.size() == 3);
    CHECK(got.objects[0].first == "document 4, items[0]");
    CHECK(got.objects[0].second == json{{"a", 1}, {"apiVersion", "v1"}, {"kind", "Pod"}});
    CHECK(got.objects[1].second == 7);
    CHECK(got.objects[2].second.is_null());
    // Without items, or of another kind, it is an object like any other.
    CHECK(read(R"({"apiVersion": "v1", "kind": "List"})").objects.size() == 1);
    CHECK(read(R"({"apiVersion": "v1", "kind": "Listing", "items": [1, 2]})").objects.size() == 1);
}

TEST_CASE("what comes before a broken item has been taken, the rest hasn't") {
    const Read got =
        read(R"({"apiVersion": "v1", "kind": "List", "items": [{}, {"a": {"b": [0, {"c": 1, "c": 2}]}}, {}]})");
    CHECK(got.objects.size() == 1);
    CHECK(got.fault == "document 1, items[1]: a.b[1].c: the key is given twice");
}

TEST_CASE("a syntax error in an item is one of the document, and precedes errors of earlier items") {
    const std::string head =
        "{\"apiVersion\": \"v1\",\n \"kind\": \"List\",\n \"items\": [{\"a\": 1, \"a\": 2}, {},\n  ";
    struct Row {
        std::string rest;
        std::string fault;
    };
    const Row rows[] = {
        {"{\"b\": tru}]}", "document 1: isn't valid JSON at line 4, column 12 of the document"},
        {"{\"b\":\n  [1 2]}]}", "document 1: isn't valid JSON at line 5, column 6 of the document"},
        {"{\"b\": 1], {}]}", "document 1: isn't valid JSON at line 4, column 10 of the document"},
        {", {}]}", "document 1: isn't valid JSON at line 4, column 3 of the document"},
        {"]}", "document 1: isn't valid JSON at line 4, column 3 of the document"},
        {"{}} {}]}", "document 1: isn't valid JSON at line 4, column 5 of the document"},
        {"{\"b\": \"x", "document 1: isn't valid JSON at line 4, column 10 of the document"},
        {"{}]", "document 1: isn't valid JSON at line 4, column 5 of the document"},
        {"{}], 7}", "document 1: isn't valid JSON at line 4, column 8 of the document"},
        {"{\"b\": 1e999}]}", "document 1: isn't valid JSON at line 4, column 13 of the document"},
        {"{\"b\": 99999999999999999999}]}", "document 1: isn't valid JSON: Problem while parsing a number"},
        {"{}]}", "document 1, items[0]: a: the key is given twice"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.rest);
        const std::string fault = read(head + row.rest).fault;
        CHECK(fault == row.fault);
    }
}

TEST_CASE("a list is taken however its members are ordered and its items are spaced") {
    for (const std::string text : {R"({"items":[{"a":1},{"b":"]}, {\\"}],"kind":"List","apiVersion":"v1"})",
                                   R"( { "kind" : "List" , "metadata": {"items": [7]}, "items" : [ {"a":1} ,
           {"b":"]}, {\\"} ] , "apiVersion" : "v1" })"}) {
        CAPTURE(text);
        const Read got = read(text);
        CHECK(got.fault == "");
        CHECK(got.length == text.size());
        REQUIRE(got.objects.size() == 2);
        CHECK(got.objects[0].second == json{{"a", 1}});
        CHECK(got.objects[1].second == json{{"b", "]}, {\\"}});
        CHECK(got.objects[1].first == "document 1, items[1]");
    }
    CHECK(read(R"({"apiVersion": "v1", "kind": "List", "items": [ ]})").objects.empty());
}

// `broken` has a text that is no JSON, `doubled` a key twice.
std::string long_list(int items, int broken, int doubled) {
    std::string text = R"({"apiVersion": "v1", "kind": "List", "items": [)";
    for (int item = 0; item < items; ++item) {
        text += item == 0 ? "\n" : ",\n";
        text += item == broken ? R"({"a": 1 2})" : item == doubled ? R"({"a": 1, "a": 2})" : "";
        if (item != broken && item != doubled)
            text += R"({"a": )" + std::to_string(item) + "}";
    }
    return text + "]}";
}

TEST_CASE("a long list is read ahead, and its items are still kept in order") {
    const Read got = read(long_list(3'000, -1, -1));
    CHECK(got.fault == "");
    REQUIRE(got.objects.size() == 3'000);
    for (std::size_t item = 0; item < got.objects.size(); ++item) {
        REQUIRE(got.objects[item].first == "document 1, items[" + std::to_string(item) + "]");
        REQUIRE(got.objects[item].second == json{{"a", item}});
    }
}

TEST_CASE("in a long list the first fault is reported, whichever thread finds one first") {
    const Read doubled = read(long_list(3'000, -1, 1'001));
    CHECK(doubled.fault == "document 1, items[1001]: a: the key is given twice");
    CHECK(doubled.objects.size() == 1'001);
    const Read both = read(long_list(3'000, 2'900, 3));
    CHECK(both.fault == "document 1: isn't valid JSON at line 2902, column 9 of the document");
    CHECK(both.objects.size() == 3);
    CHECK(read(long_list(3'000, 7, 1'001)).fault == "document 1: isn't valid JSON at line 9, column 9 of the document");
}

TEST_CASE("what was passed isn't looked at again") {
    const std::string items = R"({"a": 1}, {"a": 2}, {"a": 3})";
    std::string text = R"({"apiVersion": "v1", "kind": "List", "items": [)" + items + "]}";
    text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    std::vector<json> seen;
    const auto length = read_json_document(
        text, 1,
        [&](const Value& object, const std::string&) -> KeepObject {
            return [&seen, tree = object.tree()]() -> base::Result<void> {
                seen.push_back(tree);
                return {};
            };
        },
        [&](std::size_t offset) { std::fill_n(text.begin(), offset, '\0'); });
    REQUIRE(length);
    CHECK(*length == text.size());
    CHECK(seen == std::vector<json>{{{"a", 1}}, {{"a", 2}}, {{"a", 3}}});
    CHECK(text[0] == '\0');
}

TEST_CASE("only JSON objects look like JSON") {
    for (const std::string text : {"{}", " \n{ \"a\": 1}", "{\t\"a\"", "{\"a\": 1"})
        CHECK(looks_like_json(text));
    for (const std::string text : {"", "{", "{a: 1}", "[{}]", "7", "a: {}", "# {}", "\"{}\""}) {
        CAPTURE(text);
        CHECK_FALSE(looks_like_json(text));
    }
}

}  // namespace
}  // namespace echelon::kube

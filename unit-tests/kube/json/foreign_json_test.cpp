#include "kube/json/foreign_json.hpp"

#include <string>

#include <doctest/doctest.h>

namespace echelon::kube {
namespace {

using nlohmann::json;

std::string brackets(std::size_t count, char bracket) {
    return std::string(count, bracket);
}

TEST_CASE("brackets in texts don't nest, and those that close nothing don't either") {
    CHECK(nesting_of("", 9) == 0);
    CHECK(nesting_of(R"([{"a": "[[[\"[["}])", 9) == 2);
    CHECK(nesting_of("]]][", 9) == 1);
    CHECK(nesting_of("[[[[[[", 3) == 4);  // No further.
}

TEST_CASE("foreign text is bounded in size and nesting before it is parsed (BD10)") {
    const model::Limits limits;
    CHECK(*parse_foreign("[1, {\"a\": 2}]", limits) == json::parse("[1, {\"a\": 2}]"));
    CHECK(parse_foreign("[1,", limits).error().sentence == "can't be read");
    CHECK(parse_foreign(std::string("{}\0x", 4), limits).error().sentence == "can't be read");
    CHECK(parse_foreign(brackets(16, '[') + brackets(16, ']'), limits));
    CHECK(parse_foreign(brackets(17, '[') + brackets(17, ']'), limits).error().sentence ==
          "nests deeper than 16 levels (limits.annotationDepth)");
    CHECK(parse_foreign(brackets(60'000, '['), limits).error().sentence ==
          "nests deeper than 16 levels (limits.annotationDepth)");
    CHECK(parse_foreign("[]" + brackets(65'534, ' '), limits));
    CHECK(parse_foreign("[]" + brackets(65'535, ' '), limits).error().sentence ==
          "is 65537 bytes long, more than the 65536 that are parsed (limits.annotationBytes)");
    CHECK(parse_foreign("[[]]", 10, 1).error().sentence == "nests deeper than 1 levels");
    CHECK(parse_foreign("[          ]", 10, 1).error().sentence == "is 12 bytes long, more than 10");
}

TEST_CASE("keys are found in any case, and two that differ only in case are an error (A3)") {
    const model::Limits limits;
    const auto object = parse_foreign(R"({"gatherstrategy": 7, "other": 8})", limits);
    REQUIRE(object);
    REQUIRE(part_in_any_case(*object, "gatherStrategy") != nullptr);
    CHECK(*part_in_any_case(*object, "gatherStrategy") == 7);
    CHECK(part_in_any_case(*object, "gather") == nullptr);
    CHECK(part_in_any_case(json(7), "a") == nullptr);
    CHECK(part_of(*object, "gatherStrategy") == nullptr);
    CHECK(parse_foreign(R"([{"a": [{"layer": 1, "Layer": 2}]}])", limits).error().sentence ==
          "has keys that differ only in case");
    CHECK(parse_foreign(R"([{"a": 1}, {"A": {"a": 2}}])", limits));
}

TEST_CASE("a part of what isn't an object is absent, and a text that is none is empty") {
    const json object = {{"a", "text"}, {"b", 7}};
    REQUIRE(part_of(object, "b") != nullptr);
    CHECK(*part_of(object, "b") == 7);
    CHECK(part_of(object, "c") == nullptr);
    CHECK(part_of(json(7), "a") == nullptr);
    CHECK(text_in(object, "a") == "text");
    CHECK(text_in(object, "b") == "");
    CHECK(text_in(json::array(), "a") == "");
}

}  // namespace
}  // namespace echelon::kube

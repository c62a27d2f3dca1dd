#include "kube/json/object_parser.hpp"

#include "kube/json/splitter.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

namespace echelon::kube {
namespace {

// The same object, or the same fault.
std::string disagreement(ObjectParser& parser, const std::string& text) {
    const auto wanted = parse_object(text);
    const auto found = parser.parse(text);
    if (wanted.has_value() != found.has_value())
        return "one of them is no object";
    if (!wanted)
        return wanted.error().sentence == found.error().sentence ? "" : found.error().sentence;
    return found->tree() == *wanted ? "" : found->tree().dump();
}

TEST_CASE("texts are objects, or have a fault, as for the other parser") {
    ObjectParser parser;
    const std::string deep = R"({"a":)" + std::string(70, '[') + std::string(70, ']') + "}";
    for (const std::string& text :
         {std::string(R"({"a":1,"b":[true,null,-2,1.5,"x\u00e4\n"],"c":{}})"), std::string(R"({"a":1,"a":2})"),
          std::string(R"({"a":18446744073709551616})"), std::string(R"({"a":1e400})"), std::string(R"({"a":"\ud800"})"),
          std::string("{\"a\":\"\xff\"}"), std::string("[]"), std::string("1"), std::string(), std::string("{"),
          std::string("{} {}"), std::string(" {} "), deep}) {
        CAPTURE(text);
        CHECK(disagreement(parser, text) == "");
    }
}

TEST_CASE("any text made of pieces of JSON is read alike") {
    CHECK(rc::check([] {
        const auto pieces = *rc::gen::container<std::vector<std::string>>(
            rc::gen::element<std::string>("{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "1", "-0.5", "null", "true",
                                          " ", "\"\\u0041\"", "{\"a\":1}"));
        std::string text = *rc::gen::element<std::string>("", "{", "{\"a\":");
        for (const std::string& piece : pieces)
            text += piece;
        ObjectParser parser;
        RC_ASSERT(disagreement(parser, text) == "");
    }));
}

TEST_CASE("a value is good until the next text, which may be longer or shorter") {
    ObjectParser parser;
    for (const std::size_t size : {std::size_t{10}, std::size_t{1'000'000}, std::size_t{3}, std::size_t{400'000}}) {
        const auto object = parser.parse(R"({"a":")" + std::string(size, 'x') + "\"}");
        REQUIRE(object);
        CHECK(object->find("a").text().size() == size);
    }
}

}  // namespace
}  // namespace echelon::kube

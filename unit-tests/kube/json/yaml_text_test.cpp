// What is written as YAML is read as it was.

#include "kube/json/yaml_text.hpp"

#include "kube/json/yaml_documents.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using nlohmann::json;

json read_back(const std::string& text) {
    json out;
    const auto read = read_yaml_documents(text, 1, 0, [&out](json document, std::size_t) -> base::Result<void> {
        out = std::move(document);
        return {};
    });
    REQUIRE_MESSAGE(read, (read ? "" : read.error().sentence));
    return out;
}

TEST_CASE("what is written as YAML is read as the same value") {
    for (const auto* text :
         {R"({"a":{"b":[1,{"c":[[],[2,[3]],{}]},"x"],"d":{}},"e":null,"f":true,"g":-1.5,"h":18446744073709551615})",
          R"(["true","null","~","No","1","1e3","0x1f",".5","-","- a","a: b","# a"," a","a ","","'","\"","a\\b"])",
          R"(["line\nline","tab\t","\u0001","\u007f","Grüße","a,b","{a}","[a]","&a","*a","!a","|",">","%a","@a"])",
          R"({"a b":1,"":2,"yes":3,"1":4,"a/b.c-d_e":"a/b.c-d_e","x:y":[{"k":[{"k":"v"},{"k":"w","l":[]}]}]})",
          R"("alone")", R"({})", R"([])", R"(7)"}) {
        CAPTURE(text);
        const json value = json::parse(text);
        const std::string yaml = yaml_text(value);
        CAPTURE(yaml);
        CHECK(read_back(yaml) == value);
    }
}

TEST_CASE("YAML is written as people write it") {
    CHECK(yaml_text(json::parse(R"({"kind":"Pod","metadata":{"name":"a-0","labels":{"n":"1"}},
                                    "spec":{"items":[{"a":1,"b":[2]},3],"none":[]}})")) ==
          "kind: Pod\nmetadata:\n  labels:\n    \"n\": \"1\"\n  name: a-0\nspec:\n  items:\n  - a: 1\n    b:\n    - 2\n"
          "  - 3\n  none: []\n");
}

}  // namespace
}  // namespace echelon::kube

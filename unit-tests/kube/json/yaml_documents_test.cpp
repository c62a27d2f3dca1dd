#include "kube/json/yaml_documents.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using nlohmann::json;

struct Read {
    std::vector<json> documents;
    std::string fault;
};

Read read(const std::string& text) {
    Read out;
    const auto done = read_yaml_documents(text, 1, 0, [&](json document, std::size_t number) -> base::Result<void> {
        CHECK(number == out.documents.size() + 1);
        out.documents.push_back(std::move(document));
        return {};
    });
    if (!done)
        out.fault = done.error().sentence;
    return out;
}

TEST_CASE("plain scalars have the types of YAML 1.2, quoted ones are strings") {
    struct Row {
        std::string yaml;
        json value;
    };
    const Row rows[] = {
        {"text", "text"},
        {"", nullptr},
        {"~", nullptr},
        {"null", nullptr},
        {"nul", "nul"},
        {"true", true},
        {"False", false},
        {"yes", "yes"},
        {"on", "on"},
        {"n", "n"},
        {"1", 1},
        {"-7", -7},
        {"+7", 7},
        {"010", 10},
        {"0o17", 15},
        {"0x1F", 31},
        {"0xg", "0xg"},
        {"-0x1", "-0x1"},
        {"+-1", "+-1"},
        {"+", "+"},
        {"-", json::array({nullptr})},
        {"9223372036854775807", INT64_MAX},
        {"18446744073709551615", UINT64_MAX},
        {"18446744073709551616", 18446744073709551616.0},
        {"1.5", 1.5},
        {".5", 0.5},
        {"1.", 1.0},
        {"1e3", 1000.0},
        {"-1.5E-1", -0.15},
        {"1e999", "1e999"},
        {".inf", ".inf"},
        {".nan", ".nan"},
        {"1.2.3", "1.2.3"},
        {"1_000", "1_000"},
        {"12:30", "12:30"},
        {"2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"},
        {"\"1\"", "1"},
        {"'true'", "true"},
        {"''", ""},
        {"!!str 1", "1"},
        {"!!int \"1\"", 1},
        {"|\n  1\n", "1\n"},
        {">-\n  a\n  b\n", "a b"},
        {"[1, \"2\", {a: b}]", json::parse(R"([1, "2", {"a": "b"}])")},
        {"{}", json::object()},
    };
    for (const Row& row : rows) {
        CAPTURE(row.yaml);
        const Read got = read("key: " + (row.yaml == "-" ? "\n- " : row.yaml));
        CHECK(got.fault == "");
        REQUIRE(got.documents.size() == 1);
        CHECK(got.documents[0]["key"] == row.value);
        CHECK(got.documents[0]["key"].type() == row.value.type());
    }
}

TEST_CASE("a block of text at the end stays as it is") {
    CHECK(read("a: |\n  x\n").documents.at(0)["a"] == "x\n");
    CHECK(read("a: |\n  x").documents.at(0)["a"] == "x\n");
    CHECK(read("a: |+\n  x\n\n").documents.at(0)["a"] == "x\n\n");
    CHECK(read("a: >-\n  x\n  ").documents.at(0)["a"] == "x");
    CHECK(read("a: x # y\n").documents.at(0)["a"] == "x");
}

TEST_CASE("keys are strings, whatever they look like") {
    CHECK(read("1: a\ntrue: b\nnull: c\n'': d\n").documents.at(0).contains("1"));
    CHECK(read("1: a\n'1': b\n").fault == "document 1: line 2: 1: the key is given twice");
}

TEST_CASE("documents are taken one by one, empty ones too") {
    CHECK(read("").documents.empty());
    CHECK(read("# only a comment\n").documents.empty());
    CHECK(read("a\n---\nb\n...\n---\nc").documents == std::vector<json>{"a", "b", "c"});
    CHECK(read("---\na\n---\n---\nb\n").documents == std::vector<json>{"a", nullptr, "b"});
}

TEST_CASE("an alias is replaced by its anchor's value") {
    const Read got = read("a: &x {n: [1, 2]}\nb: *x\nc: [*x, &y z, *y]\n");
    CHECK(got.fault == "");
    CHECK(got.documents.at(0) ==
          json::parse(R"({"a": {"n": [1,2]}, "b": {"n": [1,2]}, "c": [{"n": [1,2]}, "z", "z"]})"));
    CHECK_FALSE(read("a: &x 1\n---\nb: *x\n").fault.empty());
}

TEST_CASE("hostile texts end in one sentence") {
    struct Row {
        std::string name;
        std::string yaml;
        std::string fault;  // The start of it.
    };
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string n = std::to_string(i);
        const std::string before = "*a" + std::to_string(i - 1);
        bomb += "a" + n + ": &a" + n + " [";
        for (int j = 0; j < 10; ++j)
            bomb += (j == 0 ? "" : ", ") + before;
        bomb += "]\n";
    }
    std::string long_bomb = "a: &a \"" + std::string(1'000'000, 'x') + "\"\nb:\n";
    for (int i = 0; i < 100; ++i)
        long_bomb += "- *a\n";
    std::string tower = "a0: &a0 [x]\n";
    for (int i = 1; i < 80; ++i) {
        tower += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
    }
    const Row rows[] = {
        {"laughter", bomb, "document 1: line 6: a5[3]: aliases expand to more than 32 MB"},
        {"one long text many times", long_bomb, "document 1: line 36: b[33]: aliases expand to more than 32 MB"},
        {"a tower of aliases", tower, "document 1: line 64: a63[0]: nested deeper than 64"},
        {"an alias inside itself", "a: &a [1, *a]\n", "document 1: line 1: a[1]: an alias must not be inside"},
        {"an alias to nobody", "a: *b\n", "document 1: line 1: "},
        {"deep flow lists", std::string(65, '[') + std::string(65, ']'), "document 1: line 1: [0][0]"},
        {"very deep flow lists", std::string(100'000, '['), "document 1: line 1: "},
        {"deep maps",
         [] {
             std::string out;
             for (std::size_t i = 0; i < 80; ++i)
                 out += std::string(i, ' ') + "a:\n";
             return out;
         }(),
         "document 1: line 65: a.a.a"},
        {"key twice", "a:\n  b: 1\n  c: 2\n  b: 3\n", "document 1: line 4: a.b: the key is given twice"},
        {"key twice in the second document", "a: 1\n---\nl:\n- {x: 1, x: 2}\n",
         "document 2: line 4: l[0].x: the key is given twice"},
        {"merge key", "a: &a {x: 1}\nb:\n  <<: *a\n", "document 1: line 3: b.<<: merge keys aren't supported"},
        {"foreign tag", "a: !ruby/object {}\n", "document 1: line 1: a: the tag \"!ruby/object\" isn't supported"},
        {"map as a key", "? {a: b}\n: c\n", "document 1: line 1: a key must be a plain value"},
        {"alias as a key", "a: &a x\n*a : y\n", "document 1: line 2: a key must not be an alias"},
        {"broken syntax", "a: [1, 2\nb: 3\n", "document 1: line 2: "},
        {"a quotation that never ends", "a: 'x\n", "document 1: line "},
        {"a quotation that ends in white space", "a: \"x\n\n  ", "document 1: line "},
        {"broken second document", "a: 1\n---\nb: \"x\n", "document 2: line "},
        {"a list that the end of the text cuts short", "a: 1\nb: [", "document 1: line 2: "},
        {"a comma alone", ",", "document 2: line 1: isn't valid YAML: a value can't begin here"},
        {"a comma behind a document", "a: 1\n---\n ,b: 2\n", "document 4: line 3: isn't valid YAML"},
        {"a comma behind a map", "a: 1\n,b: 2\n", "document "},
        {"tabs", "a:\n\tb: 1\n", "document 1: line 2: "},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        const Read got = read(row.yaml);
        CHECK(got.fault.substr(0, row.fault.size()) == row.fault);
        CHECK(got.fault.size() < 500);
        CHECK(got.fault.find('\n') == std::string::npos);
    }
}

TEST_CASE("what the taker refuses ends the reading") {
    int taken = 0;
    const auto done =
        read_yaml_documents("a\n---\nb\n", 5, 0, [&](const json&, std::size_t number) -> base::Result<void> {
            ++taken;
            return base::failure("no " + std::to_string(number));
        });
    REQUIRE_FALSE(done);
    CHECK(done.error().sentence == "no 5");
    CHECK(taken == 1);
}

}  // namespace
}  // namespace echelon::kube

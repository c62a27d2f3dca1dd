#include "config/document.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::config {
namespace {

using Kind = Value::Kind;

TEST_CASE("plain values have the types of YAML 1.2, and quoted ones are texts") {
    struct Row {
        std::string yaml;
        Kind kind;
    };
    const Row rows[] = {
        {"~", Kind::null},          {"null", Kind::null},     {"true", Kind::boolean}, {"FALSE", Kind::boolean},
        {"yes", Kind::text},        {"on", Kind::text},       {"1", Kind::number},     {"-1.5e3", Kind::number},
        {"0x1F", Kind::number},     {"0o17", Kind::number},   {".5", Kind::number},    {"1.", Kind::number},
        {".inf", Kind::number},     {"1.2.3", Kind::text},    {"50ms", Kind::text},    {"1e", Kind::text},
        {"'1'", Kind::text},        {"\"true\"", Kind::text}, {"''", Kind::text},      {"!!str 1", Kind::text},
        {"2026-01-01", Kind::text},
    };
    for (const Row& row : rows) {
        CAPTURE(row.yaml);
        std::vector<Fault> faults;
        const Value value = read_document("a: " + std::string(row.yaml), faults);
        REQUIRE(value.entries.size() == 1);
        CHECK(value.entries[0].value.kind == row.kind);
    }
}

TEST_CASE("values carry the line of their key, and items their own") {
    std::vector<Fault> faults;
    const Value root = read_document("a:\n  b:\n    - x\n    -\n      y\n  c: >\n    folded\n\nd: {e: 1}\n", faults);
    CHECK(faults.empty());
    REQUIRE(root.entries.size() == 2);
    const Value& a = root.entries[0].value;
    CHECK(a.line == 1);
    REQUIRE(a.entries.size() == 2);
    CHECK(a.entries[0].value.line == 2);
    CHECK(a.entries[0].value.items[0].line == 3);
    CHECK(a.entries[0].value.items[1].line == 5);
    CHECK(a.entries[1].value.line == 6);
    CHECK(root.entries[1].value.line == 9);
}

TEST_CASE("of a repeated key the first counts") {
    std::vector<Fault> faults;
    const Value root = read_document("a: 1\nb: {a: 2}\na: {c: 3, c: 4}\n", faults);
    REQUIRE(root.entries.size() == 2);
    CHECK(root.entries[0].value.text == "1");
    REQUIRE(faults.size() == 2);
    CHECK(faults[0] == Fault{3, "a", "is given twice, first on line 1"});
    CHECK(faults[1] == Fault{3, "a.c", "is given twice, first on line 3"});
}

TEST_CASE("deep nesting and aliases end in a fault, not in a crash") {
    for (const std::string& yaml :
         {std::string(1000, '['), std::string(17, '[') + std::string(17, ']'), std::string("a: &a [x]\nb: [*a, *a]\n"),
          std::string("a: &a [*a]\n"), std::string("a: *nobody\n")}) {
        std::vector<Fault> faults;
        (void)read_document(yaml, faults);
        CHECK(faults.size() == 1);
    }
}

TEST_CASE("foreign keys are quoted in a path, and no fault is behind the end of the text") {
    std::vector<Fault> faults;
    (void)read_document(std::string("a\x7f: {b: 1, b: 2}\n\"c\\x00\": {d: 1, d: 2}"), faults);
    REQUIRE(faults.size() == 2);
    CHECK(faults[0].path == "[\"a\\x7f\"].b");
    CHECK(faults[1].path == "[\"c\\x00\"].d");
    faults.clear();
    (void)read_document("a: 1\nb: {c", faults);
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].line == 2);
    faults.clear();
    const Value root = read_document("a: 1\nb:", faults);
    REQUIRE(root.entries.size() == 2);
    CHECK(root.entries[1].value.line == 2);
}

TEST_CASE("values are named on one line and not at length") {
    CHECK(shown("a\"b\\c\n\x7f") == "\"a\\\"b\\\\c\\x0a\\x7f\"");
    CHECK(shown(std::string(1000, 'x')).size() < 100);
    CHECK(shown(std::string(79, 'x') + "\u00e4\u00e4") == "\"" + std::string(79, 'x') + "...\"");
}

}  // namespace
}  // namespace echelon::config

#include "kube/json/field.hpp"

#include "kube/json/quoted_text.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using nlohmann::json;

const json object = json::parse(R"({"metadata": {"name": "a", "labels": {"example.com/x": "1", "y": 2}},
    "spec": {"list": [{"n": 1}, null, "text"], "big": 18446744073709551615, "float": 1.0, "null": null, "yes": true}})");

TEST_CASE("what is absent or null reads as its default and is no fault") {
    FieldFault fault;
    const Field spec = Field(object, fault).at("spec");
    CHECK(spec.text("nothing").empty());
    CHECK(spec.text("null").empty());
    CHECK(spec.integer("null", 0, 9) == std::nullopt);
    CHECK(spec.flag("nothing", true));
    CHECK(spec.flag("yes", false));
    CHECK(spec.at("nothing").at("deeper").items().empty());
    CHECK(spec.at("null").members().empty());
    CHECK_FALSE(spec.at("nothing").exists());
    CHECK_FALSE(fault.found());
}

TEST_CASE("a fault names the path, and the first one stays") {
    struct Row {
        std::string sentence;
        void (*read)(const Field&);
    };
    const Row rows[] = {
        {"spec: must be a list, not an object", [](const Field& f) { (void)f.at("spec").items(); }},
        {"spec.list: must be an object, not a list", [](const Field& f) { (void)f.at("spec").at("list").text("x"); }},
        {"spec.list[2]: must be an object, not \"text\"",
         [](const Field& f) { (void)f.at("spec").at("list").items()[2].text("x"); }},
        {"spec.big: must be between 0 and 9, not 18446744073709551615",
         [](const Field& f) { (void)f.at("spec").integer("big", 0, 9); }},
        {"spec.float: must be an integer, not 1.0", [](const Field& f) { (void)f.at("spec").integer("float", 0, 9); }},
        {"spec.yes: must be an integer, not true", [](const Field& f) { (void)f.at("spec").integer("yes", 0, 9); }},
        {"spec.list[0].n: must be a string, not 1",
         [](const Field& f) { (void)f.at("spec").at("list").items()[0].text("n"); }},
        {"spec.list[0].n: must be true or false, not 1",
         [](const Field& f) { (void)f.at("spec").at("list").items()[0].flag("n", true); }},
        {"metadata.labels.y: must be a string, not 2",
         [](const Field& f) { (void)f.at("metadata").at("labels").texts(); }},
        {"metadata.labels[\"\\u001b[31m\"] is missing",
         [](const Field& f) { (void)f.at("metadata").at("labels").required_text("\x1b[31m"); }},
        {"metadata.labels[\"a.b/c\"] is missing",
         [](const Field& f) { (void)f.at("metadata").at("labels").required_text("a.b/c"); }},
        {"metadata.name: \"a\" isn't a time (RFC 3339)",
         [](const Field& f) { (void)f.at("metadata").seconds("name"); }},
    };
    for (const Row& row : rows) {
        FieldFault fault;
        const Field root(object, fault);
        row.read(root);
        root.wrong("later", "isn't told");
        CHECK(fault.sentence() == row.sentence);
    }
}

TEST_CASE("times are RFC 3339, and nothing else") {
    CHECK(parse_time("1970-01-01T00:00:00Z") == 0);
    CHECK(parse_time("2026-01-01T00:00:00Z") == 1767225600);
    CHECK(parse_time("2024-02-29t23:59:59.123456z") == 1709251199);
    CHECK(parse_time("2026-01-01T02:30:00+02:30") == 1767225600);
    CHECK(parse_time("2025-12-31T23:00:00-01:00") == 1767225600);
    CHECK(parse_time("1969-12-31T23:59:59Z") == -1);
    for (const std::string text :
         {"", "2026-01-01", "2026-01-01T00:00:00", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
          "2026-01-01 00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:00.Z",
          "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00Zx", "x026-01-01T00:00:00Z", "2026-01-01T00:00:00+25:00",
          "-026-01-01T00:00:00Z"}) {
        CAPTURE(text);
        CHECK(parse_time(text) == std::nullopt);
    }
}

TEST_CASE("an object needs a name that is valid in a path") {
    const auto fault_of = [](const json& metadata) {
        const json whole{{"metadata", metadata}};
        FieldFault fault;
        (void)read_metadata(Field(whole, fault), Scope::namespaced);
        return fault.sentence();
    };
    CHECK(fault_of({{"name", "a.b-c"}}).empty());
    CHECK(fault_of({{"name", "system:node"}}).empty());
    CHECK(fault_of(nullptr) == "metadata.name is missing");
    CHECK(fault_of({{"name", ""}}) == "metadata.name is missing");
    CHECK(fault_of({{"name", "a/b"}}) == "metadata.name: \"a/b\" isn't a name");
    CHECK(fault_of({{"name", ".."}}) == "metadata.name: \"..\" isn't a name");
    CHECK(fault_of({{"name", "a\nb"}}) == "metadata.name: \"a\\nb\" isn't a name");
    CHECK(fault_of({{"name", std::string(254, 'a')}}).ends_with("isn't a name"));
    CHECK(fault_of({{"name", "a"}, {"namespace", "x/y"}}) == "metadata.namespace: \"x/y\" isn't a name");
    CHECK(fault_of(7) == "metadata: must be an object, not 7");
}

TEST_CASE("a namespaced object without a namespace is in default, one of the cluster in none") {
    const json whole{{"metadata", {{"name", "a"}}}};
    FieldFault fault;
    CHECK(read_metadata(Field(whole, fault), Scope::namespaced).full_name() == "default/a");
    CHECK(read_metadata(Field(whole, fault), Scope::cluster).full_name() == "a");
}

TEST_CASE("foreign values are shown quoted, on one line, and short") {
    CHECK(shown("plain") == "\"plain\"");
    CHECK(shown("a\"\n\x01") == "\"a\\\"\\n\\u0001\"");
    CHECK(shown("bad \xff byte") == "\"bad \xef\xbf\xbd byte\"");
    CHECK(shown(std::string(119, 'x') + "ä") == "\"" + std::string(119, 'x') + "...\"");
    CHECK(shown(std::string(1'000'000, 'x')).size() < 130);
    CHECK(shown(json(1.5)) == "1.5");
    CHECK(shown(json(nullptr)) == "null");
    CHECK(shown(json::object()) == "an object");
}

}  // namespace
}  // namespace echelon::kube

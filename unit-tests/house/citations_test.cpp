// Comments, names of tests and documents cite rules by id: docs/rules.md and ARCHITECTURE.md define each of them. They
// cite no chapter of a document that is not in the repository.

#include "unit-tests/house/prose.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace {

using echelon::house::Breach;
using echelon::house::joined;
using echelon::house::lines_of;
using echelon::house::place_of;
using echelon::house::Prose;
using echelon::house::prose_of;
using echelon::house::quoted_in;
using echelon::house::read_prose;

const std::filesystem::path root = ECHELON_SOURCE_DIR;

// Names that look like the id of a rule.
const std::set<std::string> no_rules = {"RE2"};

// Files that still cite chapters of other documents.
const std::set<std::string> cite_chapters = {};

bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_word(char c) {
    return is_upper(c) || is_digit(c) || (c >= 'a' && c <= 'z') || c == '_' || c == '%';
}

// The id that begins at `at`: one or two capitals, one or two digits, maybe a further digit as in "T2.4"; else empty.
std::string id_at(std::string_view text, std::size_t at) {
    const auto count = [&](std::size_t from, bool (*is)(char)) {
        const auto end = std::ranges::find_if_not(text.substr(from), is);
        return static_cast<std::size_t>(end - text.substr(from).begin());
    };
    if (at > 0 && (is_word(text[at - 1]) || std::string_view("./-").contains(text[at - 1])))
        return {};
    const auto letters = count(at, is_upper);
    const auto digits = count(at + letters, is_digit);
    if (letters == 0 || letters > 2 || digits == 0 || digits > 2)
        return {};
    auto end = at + letters + digits;
    if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1]))
        end += 2;
    return end < text.size() && is_word(text[end]) ? std::string() : std::string(text.substr(at, end - at));
}

std::vector<std::string> ids_in(std::string_view text) {
    std::vector<std::string> ids;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (auto id = id_at(text, at); !id.empty())
            ids.push_back(std::move(id));
    }
    return ids;
}

// First cells of tables that are ids, with the second cell.
std::map<std::string, std::string> defined_in(const std::vector<std::string>& lines) {
    std::map<std::string, std::string> defined;
    for (const auto& line : lines) {
        const auto end = line.find(" |", 2);
        if (!line.starts_with("| ") || end == std::string::npos)
            continue;
        const auto cell = line.substr(2, end - 2);
        const auto next = line.find(" |", end + 2);
        if (id_at(cell, 0) == cell && next != std::string::npos)
            defined[cell] = line.substr(end + 3, next - end - 3);
    }
    return defined;
}

std::vector<Breach> without_definition(const std::vector<Prose>& all, const std::set<std::string>& defined) {
    std::vector<Breach> breaches;
    for (const auto& prose : all) {
        for (const auto& id : ids_in(prose.text)) {
            if (!defined.contains(id) && !no_rules.contains(id))
                breaches.push_back(place_of(prose) + ": cites " + id + ", which docs/rules.md does not define");
        }
    }
    return breaches;
}

// "section 7", "promise 11", "operations 1.2": chapters of nothing that is here.
bool cites_chapter(std::string_view text) {
    for (const std::string_view word :
         {"section ", "sections ", "promise ", "operations ", "semantics ", "extender-protocol "}) {
        for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
            if (at + word.size() < text.size() && is_digit(text[at + word.size()]))
                return true;
        }
    }
    return false;
}

std::vector<Breach> chapters_cited(const std::vector<Prose>& all, const std::set<std::string>& allowed) {
    std::vector<Breach> breaches;
    auto unused = allowed;
    for (const auto& prose : all) {
        if (!cites_chapter(prose.text))
            continue;
        unused.erase(prose.path);
        if (!allowed.contains(prose.path))
            breaches.push_back(place_of(prose) + ": cites a chapter instead of a rule");
    }
    for (const auto& path : unused)
        breaches.push_back(path + ": cites no chapter any more; take it off the list");
    return breaches;
}

std::set<std::string> all_definitions() {
    std::set<std::string> ids;
    for (const auto* page : {"docs/rules.md", "ARCHITECTURE.md"}) {
        for (const auto& [id, rule] : defined_in(lines_of(root / page)))
            ids.insert(id);
    }
    return ids;
}

TEST_CASE("every rule that code, a test or a document cites is defined") {
    const auto defined = all_definitions();
    CHECK(defined.contains("B6"));
    CHECK(defined.contains("I14"));
    CHECK(joined(without_definition(read_prose(root), defined)) == "");
}

TEST_CASE("no comment and no document cites a chapter of a document that is not here") {
    CHECK(joined(chapters_cited(read_prose(root), cite_chapters)) == "");
}

TEST_CASE("the invariants of ARCHITECTURE.md are those of the metric, in its order") {
    const auto defined = defined_in(lines_of(root / "ARCHITECTURE.md"));
    std::vector<std::string> names;
    bool is_table = false;
    for (const auto& line : lines_of(root / "engine/invariant.hpp")) {
        is_table = is_table || line.contains("invariant_names = {");
        auto rest = is_table ? line : std::string();
        for (auto name = quoted_in(rest); !name.empty(); name = quoted_in(rest)) {
            rest.erase(0, rest.find('"' + name) + name.size() + 2);
            names.push_back(name);
        }
        is_table = is_table && !line.contains("};");
    }
    REQUIRE(names.size() == 14);
    for (std::size_t at = 0; at < names.size(); ++at) {
        const auto id = "I" + std::to_string(at + 1);
        CAPTURE(id);
        REQUIRE(defined.contains(id));
        CHECK(defined.at(id) == "`" + names[at] + "`");
    }
}

TEST_CASE("ids are found in comments, names of tests and documents, and nowhere else") {
    CHECK(ids_in("as B6 and (R3, KP12) say, T2.4.") == std::vector<std::string>{"B6", "R3", "KP12", "T2.4"});
    CHECK(ids_in("C3%A4, X509, v1.B2, path/B2, UTF8, GPU1, a B6x, b-B6, 2B6") == std::vector<std::string>());
    const std::vector<std::string> lines = {
        "int a = B1;  // B2", "auto b = \"https://B3\";",        "TEST_CASE(\"a sentence (B4)\") {",
        "TEST_CASE(",         "    \"a long sentence (B5)\") {", "    SUBCASE(\"B6\") {}"};
    const auto read = prose_of({"unit-tests/a_test.cpp", lines});
    CHECK(without_definition(read, {}).size() == 4);
    CHECK(without_definition(read, {"B2", "B4", "B5", "B6"}).empty());
    CHECK(prose_of({"docs/a.md", {"B1 `B2` B3", "```sh", "B4", "```", "    B5"}})[0].text == "B1  B3");
    CHECK(without_definition(prose_of({"docs/a.md", {"B1 `B2`", "```sh", "B4", "```", "    B5"}}), {}).size() == 1);
    CHECK(defined_in({"| id | rule |", "| B1 | it holds |", "| T2.4 | too |", "| B | no |", "B2 is no row"}).size() ==
          2);
}

TEST_CASE("a chapter is found, and so is a file that cites none any more") {
    CHECK(cites_chapter("(operations 1.2, promise 11)"));
    CHECK(cites_chapter("semantics section 3"));
    CHECK(!cites_chapter("the operations of a section"));
    const std::vector<Prose> all = {{"model/a.hpp", 3, "(section 10)"}};
    CHECK(chapters_cited(all, {}).size() == 1);
    CHECK(chapters_cited(all, {"model/a.hpp"}).empty());
    CHECK(chapters_cited(all, {"model/a.hpp", "model/b.hpp"}).size() == 1);
}

}  // namespace

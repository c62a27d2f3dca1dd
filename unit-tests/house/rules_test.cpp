// docs/rules.md defines rules by id. Each rule of some families needs a test whose name ends with the id in brackets.

#include "unit-tests/house/source_tree.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace {

using echelon::house::Breach;
using echelon::house::joined;
using echelon::house::lines_of;
using echelon::house::read_house;
using echelon::house::Source;
using echelon::house::test_names;

constexpr std::array<std::string_view, 6> families = {"A", "H", "K", "KP", "M", "Z"};

// "KP7": a family and a number.
bool is_rule(std::string_view text) {
    const auto digits = std::min(text.find_first_of("0123456789"), text.size());
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return digits < text.size() && std::ranges::find(families, text.substr(0, digits)) != families.end() &&
           std::ranges::all_of(text.substr(digits), is_digit);
}

// First cells of tables that are ids.
std::set<std::string> listed_rules(const std::vector<std::string>& lines) {
    std::set<std::string> rules;
    for (const auto& line : lines) {
        if (!line.starts_with("| "))
            continue;
        if (const auto id = line.substr(2, line.find(' ', 2) - 2); is_rule(id))
            rules.insert(id);
    }
    return rules;
}

// Ids in the brackets that end a name: "waiting members count (KP1, KP5)".
std::set<std::string> held_rules(const std::vector<Source>& sources) {
    std::set<std::string> rules;
    for (const auto& source : sources) {
        for (const auto& name : test_names(source.lines)) {
            const auto open = name.rfind(" (");
            if (!name.ends_with(')') || open == std::string::npos)
                continue;
            auto ids = name.substr(open + 2, name.size() - open - 3) + ", ";
            for (auto comma = ids.find(", "); comma != std::string::npos; comma = ids.find(", ")) {
                if (is_rule(ids.substr(0, comma)))
                    rules.insert(ids.substr(0, comma));
                ids.erase(0, comma + 2);
            }
        }
    }
    return rules;
}

// "B4: a sentence", "T3.1 to T3.3: a sentence".
bool begins_with_id(std::string_view name) {
    const auto word = name.substr(0, name.find_first_of(" ,:"));
    const auto letters = std::min(word.find_first_of("0123456789"), word.size());
    const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    return letters >= 1 && letters <= 2 && letters < word.size() &&
           std::ranges::all_of(word.substr(0, letters), is_upper) &&
           word.find_first_not_of("0123456789.", letters) == std::string_view::npos;
}

std::vector<Breach> led_by_ids(const std::vector<Source>& sources) {
    std::vector<Breach> breaches;
    for (const auto& source : sources) {
        for (const auto& name : test_names(source.lines)) {
            if (begins_with_id(name))
                breaches.push_back(source.path + ": an id goes in brackets behind the sentence: \"" + name + "\"");
        }
    }
    return breaches;
}

std::vector<Breach> disagreements(const std::set<std::string>& listed, const std::set<std::string>& held) {
    std::vector<Breach> breaches;
    for (const auto& rule : listed) {
        if (!held.contains(rule))
            breaches.push_back("docs/rules.md: no test bears the id " + rule);
    }
    for (const auto& rule : held) {
        if (!listed.contains(rule))
            breaches.push_back("docs/rules.md: a test bears the id " + rule + ", which isn't listed");
    }
    return breaches;
}

TEST_CASE("every rule about members and dialects is held by a test that bears its id, and no test bears another one") {
    const std::filesystem::path root = ECHELON_SOURCE_DIR;
    const auto listed = listed_rules(lines_of(root / "docs/rules.md"));
    for (const auto family : families) {
        CAPTURE(family);
        CHECK(listed.contains(std::string(family) + "1"));
    }
    CHECK(joined(disagreements(listed, held_rules(read_house(root)))) == "");
}

TEST_CASE("a test's name is a sentence, with the id behind it") {
    CHECK(joined(led_by_ids(read_house(ECHELON_SOURCE_DIR))) == "");
    const std::vector<std::string> lines = {"TEST_CASE(\"A3, Z1: a sentence\") {",
                                            "TEST_CASE(\"T3.1 to T3.3: more\") {",
                                            "TEST_CASE(",
                                            "    \"KP12: a long name\") {",
                                            "TEST_CASE(\"a sentence (A3, Z1)\") {",
                                            "TEST_CASE(\"KEP-6012: a slice\") {",
                                            "TEST_CASE(\"A4x is no id\") {"};
    CHECK(led_by_ids({{"unit-tests/a.cpp", lines}}).size() == 3);
}

TEST_CASE("a rule without a test is found, and so is a test of a rule that isn't listed") {
    const auto listed = listed_rules({"| id | rule |", "|---|---|", "| A3 | said |", "| KP12 | said |",
                                      "| 7 | no rule |", "| A | no rule |", "M4 is no row"});
    CHECK(listed == std::set<std::string>{"A3", "KP12"});
    const std::vector<std::string> lines = {"TEST_CASE(\"a sentence, H1 (H4) inside (A3, Z1)\") {",
                                            "// TEST_CASE(\"not one (KP12)\")",
                                            "TEST_CASE(\"without an id (as is)\") {",
                                            "TEST_CASE(\"no id (M3x)\") {",
                                            "TEST_CASE(",
                                            "    \"a long name with a \\\"quotation\\\" (H2)\") {"};
    const auto held = held_rules({{"unit-tests/a.cpp", lines}});
    CHECK(held == std::set<std::string>{"A3", "H2", "Z1"});
    CHECK(disagreements(listed, held).size() == 3);
    CHECK(disagreements({"A3"}, {"A3", "M7"}).size() == 1);
    CHECK(disagreements({"A3"}, {"A3"}).empty());
}

}  // namespace

// docs/rules.md defines rules by id. Each rule of some families needs a test whose name begins with the id.

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
using echelon::house::trimmed;

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

// Ids before the colon of "KP1, KP5: waiting members count".
std::set<std::string> held_rules(const std::vector<Source>& sources) {
    constexpr std::string_view opening = "TEST_CASE(\"";
    std::set<std::string> rules;
    for (const auto& source : sources) {
        for (std::size_t at = 0; at < source.lines.size(); ++at) {
            auto line = source.lines[at];
            if (line == "TEST_CASE(" && at + 1 < source.lines.size())  // A long name is on the next line.
                line += trimmed(source.lines[at + 1]);
            const auto colon = line.find(':');
            if (!line.starts_with(opening) || colon == std::string::npos)
                continue;
            auto head = line.substr(opening.size(), colon - opening.size()) + ", ";
            for (auto comma = head.find(", "); comma != std::string::npos; comma = head.find(", ")) {
                if (is_rule(head.substr(0, comma)))
                    rules.insert(head.substr(0, comma));
                head.erase(0, comma + 2);
            }
        }
    }
    return rules;
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

TEST_CASE("a rule without a test is found, and so is a test of a rule that isn't listed") {
    const auto listed = listed_rules({"| id | rule |", "|---|---|", "| A3 | said |", "| KP12 | said |",
                                      "| 7 | no rule |", "| A | no rule |", "M4 is no row"});
    CHECK(listed == std::set<std::string>{"A3", "KP12"});
    const std::vector<std::string> lines = {"TEST_CASE(\"A3, Z1: a sentence, H1: inside\") {",
                                            "// TEST_CASE(\"KP12: not one\")",
                                            "TEST_CASE(\"without an id\") {",
                                            "TEST_CASE(\"M3x: no id\") {",
                                            "TEST_CASE(",
                                            "    \"H2: a long name\") {"};
    const auto held = held_rules({{"unit-tests/a.cpp", lines}});
    CHECK(held == std::set<std::string>{"A3", "H2", "Z1"});
    CHECK(disagreements(listed, held).size() == 3);
    CHECK(disagreements({"A3"}, {"A3", "M7"}).size() == 1);
    CHECK(disagreements({"A3"}, {"A3"}).empty());
}

}  // namespace

// The table of transitions in ARCHITECTURE.md is the one that the engine obeys, word for word.

#include "engine/gang/lifecycle.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(' ');
    const auto last = text.find_last_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// The rows of the table that begins with "| from | to |", as "Pending -> Held: a plan is found".
std::vector<std::string> rows_of(const std::string& file) {
    std::ifstream in(file);
    std::vector<std::string> rows;
    bool is_inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("| from | to |")) {
            is_inside = true;
            continue;
        }
        if (is_inside && !line.starts_with("|"))
            break;
        if (!is_inside || line.starts_with("|-"))
            continue;
        std::vector<std::string> cells;
        std::istringstream parts(line.substr(1));
        for (std::string cell; std::getline(parts, cell, '|');)
            cells.push_back(trimmed(cell));
        if (cells.size() == 3)
            rows.push_back(fmt::format("{} -> {}: {}", cells[0], cells[1], cells[2]));
    }
    return rows;
}

TEST_CASE("the transitions of ARCHITECTURE.md are those that the engine obeys") {
    std::vector<std::string> expected;
    for (const auto& each : transitions)
        expected.push_back(fmt::format("{} -> {}: {}", to_string(each.from), to_string(each.to), each.why));
    CHECK(rows_of(ECHELON_SOURCE_DIR "/ARCHITECTURE.md") == expected);
}

TEST_CASE("every stage can be reached from Pending, and every one can be left") {
    std::set<Stage> reached = {Stage::pending};
    for (std::size_t round = 0; round < transitions.size(); ++round) {
        for (const auto& each : transitions) {
            if (reached.contains(each.from))
                reached.insert(each.to);
        }
    }
    CHECK(reached.size() == 7);
    for (const auto stage : reached)
        CHECK(std::ranges::any_of(transitions, [stage](const Transition& each) { return each.from == stage; }));
}

TEST_CASE("nothing is committed that wasn't recorded, and no transition is listed twice") {
    std::set<std::pair<Stage, Stage>> seen;
    for (const auto& each : transitions) {
        CHECK(seen.emplace(each.from, each.to).second);
        CHECK(each.from != each.to);
    }
    CHECK(may_follow(Stage::recording, Stage::committed));
    CHECK(!may_follow(Stage::held, Stage::committed));
}

}  // namespace
}  // namespace echelon::engine

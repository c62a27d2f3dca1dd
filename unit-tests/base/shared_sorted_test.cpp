#include "base/shared_sorted.hpp"

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::base {
namespace {

using Table = SharedSorted<unsigned>;
using Expected = std::map<std::string, unsigned>;
using Entries = std::vector<std::pair<std::string, unsigned>>;

Entries entries_of(const Table& table) {
    Entries entries;
    table.for_each([&](const Table::Entry& entry) { entries.push_back(entry); });
    return entries;
}

TEST_CASE("a sorted table is what a map would be, and its copies stay as they were") {
    std::mt19937 random(1);
    Table table;
    Expected expected;
    std::vector<std::pair<Table, Expected>> copies;
    for (unsigned turn = 0; turn < 20'000; ++turn) {
        const auto key = std::to_string(random() % 700);
        // In turns it grows and shrinks, down to nothing.
        if (random() % 8 < (turn / 4'000 % 2 == 0 ? 2U : 7U)) {
            CHECK(table.erase(key) == (expected.erase(key) > 0));
        } else {
            table.put({key, turn});
            expected[key] = turn;
        }
        const auto* found = table.find(key);
        REQUIRE((found != nullptr) == expected.contains(key));
        CHECK((found == nullptr || found->second == expected.at(key)));
        CHECK(table.find("x" + key) == nullptr);
        CHECK(table.find("") == nullptr);
        if (random() % 500 == 0)
            copies.emplace_back(table, expected);
    }
    copies.emplace_back(table, expected);
    CHECK(copies.size() > 20);
    for (const auto& [copy, then] : copies) {
        CHECK(copy.size() == then.size());
        CHECK(entries_of(copy) == Entries(then.begin(), then.end()));
    }
    for (const auto& [key, value] : expected)
        CHECK(table.erase(key));
    CHECK(table.size() == 0);
    CHECK(entries_of(table).empty());
    CHECK_FALSE(table.erase("1"));
}

TEST_CASE("a change of a sorted table copies nothing but its chunk") {
    Table table;
    for (unsigned key = 0; key < 1'000; ++key)
        table.put({std::to_string(key), key});
    const auto copy = table;
    table.put({"999", 0});
    CHECK(table.find("999") != copy.find("999"));
    CHECK(table.find("1") == copy.find("1"));
}

}  // namespace
}  // namespace echelon::base

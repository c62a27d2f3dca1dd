#include "base/shared_table.hpp"

#include <cstddef>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::base {
namespace {

using Entry = std::pair<unsigned, unsigned>;  // Key and value.

auto is(unsigned key) {
    return [key](const Entry& entry) { return entry.first == key; };
}

std::map<unsigned, unsigned> entries_of(const SharedTable<Entry>& table) {
    std::map<unsigned, unsigned> entries;
    table.for_each([&](const Entry& entry) { CHECK(entries.insert(entry).second); });
    return entries;
}

TEST_CASE("a table is what a map would be, and its copies stay as they were") {
    for (const std::size_t spread : {1U, 7U, 4096U * 5}) {  // Few hashes, and so long buckets; then many.
        std::mt19937 random(1);
        SharedTable<Entry> table;
        std::map<unsigned, unsigned> expected;
        std::vector<std::pair<SharedTable<Entry>, std::map<unsigned, unsigned>>> copies;
        for (unsigned turn = 0; turn < 5'000; ++turn) {
            const auto key = static_cast<unsigned>(random() % 300);
            const auto hash = std::size_t{key} * 2'654'435'761U % spread;
            if (random() % 3 == 0) {
                CHECK(table.erase(hash, is(key)) == (expected.erase(key) > 0));
            } else {
                table.put(hash, is(key), {key, turn});
                expected[key] = turn;
            }
            const auto* found = table.find(hash, is(key));
            CHECK((found != nullptr) == expected.contains(key));
            if (random() % 200 == 0)
                copies.emplace_back(table, expected);
        }
        CHECK(table.size() == expected.size());
        CHECK(entries_of(table) == expected);
        REQUIRE(copies.size() > 5);
        for (const auto& [copy, then] : copies) {
            CHECK(copy.size() == then.size());
            CHECK(entries_of(copy) == then);
        }
    }
}

TEST_CASE("a change copies nothing but its way") {
    SharedTable<Entry> table;
    table.put(0, is(0), {0, 0});
    table.put(1, is(1), {1, 1});
    const auto copy = table;
    table.put(0, is(0), {0, 9});
    CHECK(table.find(1, is(1)) == copy.find(1, is(1)));
    CHECK(table.find(0, is(0)) != copy.find(0, is(0)));
    const auto* changed = table.find(0, is(0));
    table.put(0, is(0), {0, 10});
    CHECK(table.find(0, is(0)) == changed);  // Nobody shares it.
}

}  // namespace
}  // namespace echelon::base

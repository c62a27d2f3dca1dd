#include "base/flat_table.hpp"

#include <cstdint>
#include <memory>
#include <random>
#include <set>

#include <doctest/doctest.h>

namespace echelon::base {
namespace {

TEST_CASE("a table finds what was put into it and not taken, also among equal hashes") {
    FlatTable<std::uint32_t> table;
    std::set<std::uint32_t> known;
    std::mt19937 random(1);  // NOLINT(cert-msc51-cpp)
    const auto hash_of = [](std::uint32_t value) { return std::size_t{value} % 50 * 0x1'0000'0001U; };
    const auto is = [](std::uint32_t wanted) { return [wanted](std::uint32_t value) { return value == wanted; }; };
    for (int round = 0; round < 20'000; ++round) {
        const auto value = static_cast<std::uint32_t>(1 + random() % 300);
        REQUIRE((table.find(hash_of(value), is(value)) != nullptr) == known.contains(value));
        if (known.insert(value).second) {
            table.insert(hash_of(value), value);
        } else {
            known.erase(value);
            REQUIRE(table.take(hash_of(value), is(value)) == value);
            REQUIRE(table.take(hash_of(value), is(value)) == 0);
        }
        REQUIRE(table.size() == known.size());
    }
    std::set<std::uint32_t> listed;
    for (const auto value : table)
        listed.insert(value);
    CHECK(listed == known);
    table.clear();
    CHECK(table.find(hash_of(1), is(1)) == nullptr);
    CHECK(table.size() == 0);
}

TEST_CASE("a table may own its entries, which stay where they are while it grows") {
    FlatTable<std::unique_ptr<int>> table;
    table.reserve(10);
    table.insert(7, std::make_unique<int>(7));
    const auto* seven = table.find(7, [](const auto& entry) { return *entry == 7; })->get();
    for (int number = 100; number < 200; ++number)
        table.insert(static_cast<std::size_t>(number), std::make_unique<int>(number));
    CHECK(table.find(7, [](const auto& entry) { return *entry == 7; })->get() == seven);
    CHECK(table.take(7, [](const auto& entry) { return *entry == 7; }).get() == seven);
}

}  // namespace
}  // namespace echelon::base

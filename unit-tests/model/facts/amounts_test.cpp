#include "model/facts/amounts.hpp"

#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

using echelon::model::Amounts;

TEST_CASE("amounts stand sorted by name, each once") {
    const Amounts amounts = {{"pods", 1}, {"cpu", 500}, {"pods", 2}};
    REQUIRE(amounts.entries().size() == 2);
    CHECK(amounts.entries().front().first == "cpu");
    CHECK(amounts.of("pods") == 3);
    CHECK(amounts.of("memory") == 0);
}

TEST_CASE("sums end at the largest amount") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    Amounts amounts = {{"cpu", most}};
    amounts.add("cpu", 1);
    CHECK(amounts.of("cpu") == most);
}

TEST_CASE("raising keeps the larger amount of each resource") {
    Amounts amounts = {{"cpu", 5}, {"gpu", 1}};
    amounts.raise_to({{"cpu", 3}, {"gpu", 2}, {"pods", 1}});
    CHECK(amounts == Amounts{{"cpu", 5}, {"gpu", 2}, {"pods", 1}});
}

TEST_CASE("lists are added to one another, whatever one of them lacks, and to themselves") {
    Amounts amounts = {{"b", 2}, {"d", 4}};
    amounts.add({{"a", 1}, {"b", 1}, {"c", 3}, {"e", 5}});
    CHECK(amounts == Amounts{{"a", 1}, {"b", 3}, {"c", 3}, {"d", 4}, {"e", 5}});
    amounts.add(amounts);
    CHECK(amounts == Amounts{{"a", 2}, {"b", 6}, {"c", 6}, {"d", 8}, {"e", 10}});
    amounts.add(Amounts());
    Amounts none;
    none.raise_to(amounts);
    CHECK(none == amounts);
}

TEST_CASE("a copy shares the list until one of both changes") {
    Amounts one = {{"cpu", 5}};
    Amounts other = one;
    CHECK(other.is_shared_with(one));
    other.add("cpu", 1);
    CHECK(one.of("cpu") == 5);
    CHECK(other.of("cpu") == 6);
    Amounts sum;
    sum.add(one);
    CHECK(sum.is_shared_with(one));
    sum.add(one);
    CHECK(one == Amounts{{"cpu", 5}});
    CHECK(sum == Amounts{{"cpu", 10}});
}

TEST_CASE("equal amounts have one hash, and others mostly not") {
    const Amounts one = {{"cpu", 5}, {"gpu", 1}};
    CHECK(hash_of(one) == hash_of(Amounts{{"gpu", 1}, {"cpu", 5}}));
    CHECK(hash_of(one) != hash_of(Amounts{{"cpu", 5}, {"gpu", 2}}));
    CHECK(hash_of(Amounts()) == 0);
}

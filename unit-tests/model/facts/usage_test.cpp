#include "model/facts/usage.hpp"

#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

using echelon::model::Amounts;
using echelon::model::bounded;
using echelon::model::freed;
using echelon::model::saturating_sum;
using echelon::model::Usage;

TEST_CASE("what pods use is free again when they leave") {
    Usage usage;
    const Amounts small = {{"cpu", 500}, {"pods", 1}};
    usage.add(small);
    usage.add(small);
    CHECK(usage.left_of("cpu", 4000) == 3000);
    CHECK(usage.left_of("memory", 7) == 7);
    usage.remove(small);
    CHECK(usage.left_of("pods", 1) == 0);
    usage.remove(small);
    CHECK(usage.empty());
}

TEST_CASE("more may be taken than there is") {
    Usage usage;
    usage.add({{"cpu", 500}});
    CHECK(usage.left_of("cpu", 200) == -300);
    CHECK(usage.left_of("cpu", 0) == -500);
}

TEST_CASE("absurd amounts neither overflow nor leave a trace") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    Usage usage;
    const Amounts absurd = {{"cpu", most}};
    for (int i = 0; i < 3; ++i)
        usage.add(absurd);
    CHECK(usage.left_of("cpu", 10) == bounded(-most));
    for (int i = 0; i < 3; ++i)
        usage.remove(absurd);
    CHECK(usage.left_of("cpu", 10) == 10);
    CHECK(usage.left_of("cpu", most) == bounded(most));
}

TEST_CASE("sums of absurd amounts end at the largest and the smallest int64 (BD1)") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    CHECK(saturating_sum(most, 1) == most);
    CHECK(saturating_sum(least, -1) == least);
    CHECK(saturating_sum(most, least) == -1);
    CHECK(saturating_sum(-3, 5) == 2);
}

TEST_CASE("a pod on a node whose use is beyond counting frees nothing there (BD3)") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    CHECK(freed(-300, 500) == 500);
    CHECK(freed(bounded(-most), 500) == 0);
    CHECK(freed(bounded(-most) - 1, most) == 0);
}

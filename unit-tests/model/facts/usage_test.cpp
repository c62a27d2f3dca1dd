#include "model/facts/usage.hpp"

#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

using echelon::model::Amounts;
using echelon::model::bounded;
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

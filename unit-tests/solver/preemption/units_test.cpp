// Which pods are evicted together, rule by rule.

#include "solver/preemption/units.hpp"

#include "unit-tests/solver/preemption/running.hpp"

#include <doctest/doctest.h>

namespace echelon::solver::preemption::testing {
namespace {

std::vector<model::RunningPod> pods(const std::string& prefix, int count) {
    std::vector<model::RunningPod> all;
    for (int number = 0; number < count; ++number) {
        all.push_back(running_pod(fmt::format("{}-{}", prefix, number), 0, 1));
    }
    return all;
}

RunningSpec leaf(const std::string& name, std::int64_t minimum, int count) {
    return {.minimum = minimum, .pods = pods(name, count)};
}

std::vector<Unit> units(const RunningSpec& root) {
    return units_of(running_gang("g", 0, root));
}

// The pods that go with the first `count` of the gang.
std::size_t lost_with_first(const RunningSpec& root, std::size_t count) {
    const auto gang = running_gang("g", 0, root);
    std::vector<std::uint8_t> lost(gang.pods.size(), 0);
    std::fill_n(lost.begin(), count, std::uint8_t{1});
    spread_loss(gang, lost);
    return static_cast<std::size_t>(std::ranges::count(lost, std::uint8_t{1}));
}

TEST_CASE("a gang without extras is one unit, since half a gang is useless (U1)") {
    CHECK(units(leaf("a", 3, 3)) == std::vector<Unit>{{0, 1, 2}});
}

TEST_CASE("each pod of a leaf with extras is a unit, whichever it is, until the extras are used up (U1)") {
    const auto root = leaf("a", 2, 4);
    CHECK(units(root) == std::vector<Unit>{{0}, {1}, {2}, {3}});
    CHECK(lost_with_first(root, 2) == 2);
    CHECK(lost_with_first(root, 3) == 4);
}

TEST_CASE("a pod of no gang is a unit by itself (U1)") {
    CHECK(units_of(plain_pod(running_pod("p", 0, 1), 0)) == std::vector<Unit>{{0}});
}

TEST_CASE("the smallest subtree goes whose loss leaves every ancestor its minimum (U1)") {
    const RunningSpec spare{.minimum = 1, .children = {leaf("a", 2, 2), leaf("b", 2, 2)}};
    CHECK(units(spare) == std::vector<Unit>{{0, 1}, {2, 3}});
    const RunningSpec tight{.minimum = 2, .children = {leaf("a", 2, 2), leaf("b", 2, 2)}};
    CHECK(units(tight) == std::vector<Unit>{{0, 1, 2, 3}});
}

TEST_CASE("a pod that a composite's floor needs is no extra (U1)") {
    const RunningSpec root{.minimum = 1, .children = {leaf("a", 1, 2)}, .floor = 2};
    CHECK(units(root) == std::vector<Unit>{{0, 1}});
}

TEST_CASE(
    "a group of mode all goes as a whole, extras included, and only it where the rest keeps its minimum (U1, S29)") {
    auto whole = leaf("a", 1, 3);
    whole.goes_whole = true;
    CHECK(units(whole) == std::vector<Unit>{{0, 1, 2}});
    const RunningSpec beside{.minimum = 1, .children = {whole, leaf("b", 1, 2)}};
    CHECK(units(beside) == std::vector<Unit>{{0, 1, 2}, {3}, {4}});
    RunningSpec root = beside;
    root.goes_whole = true;
    CHECK(units(root) == std::vector<Unit>{{0, 1, 2, 3, 4}});
}

TEST_CASE("mode all only widens: where its group's loss takes a minimum above, more goes (U1)") {
    auto whole = leaf("a", 1, 3);
    whole.goes_whole = true;
    CHECK(units({.minimum = 2, .children = {whole, leaf("b", 2, 2)}}) == std::vector<Unit>{{0, 1, 2, 3, 4}});
}

TEST_CASE("finished pods count to the minimum that is left, and a gang below its minimum is one unit (U1, M2)") {
    auto root = leaf("a", 3, 3);
    root.finished = 1;
    CHECK(units(root) == std::vector<Unit>{{0}, {1}, {2}});
    CHECK(units(leaf("a", 4, 2)) == std::vector<Unit>{{0, 1}});
    CHECK(!keeps_minimum(running_gang("g", 0, leaf("a", 4, 2)), {}));
    CHECK(keeps_minimum(running_gang("g", 0, root), {}));
}

}  // namespace
}  // namespace echelon::solver::preemption::testing

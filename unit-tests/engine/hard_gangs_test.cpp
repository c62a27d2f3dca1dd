// A gang that no search within its budget decides: how often is it searched for again?

#include "unit-tests/engine/support/rig.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::Rig;

constexpr int hosts = 10;
constexpr int members = 30;
constexpr int gangs = 8;

Options small_budget() {
    auto options = Rig::default_options();
    options.budget.steps = 20'000;  // 40 ms.
    return options;
}

std::string name_of(int gang) {
    return fmt::format("hard{}", gang);
}

// All sizes are even and hosts have an odd number of devices. So one stays free on each host, and the gang lacks four.
void comes(Rig& rig, const std::string& gang, int number) {
    constexpr int base = 22;
    const int size = base + 2 * ((number * 7) % 12) + (number < 7 ? 2 : 0);
    rig.pod(fmt::format("{}-{}", gang, number), gang, true, size);
}

void hard_gangs(Rig& rig) {
    for (int host = 0; host < hosts; ++host)
        rig.node(fmt::format("n{}", host), "b", "r", 101);
    for (int g = 0; g < gangs; ++g) {
        rig.gang({name_of(g), members, {}, {}, g});
        for (int number = 0; number < members; ++number)
            comes(rig, name_of(g), number);
    }
    rig.synced();
    rig.advance(Time{2000});
    REQUIRE(rig.record(name_of(gangs - 1))->reason == "OutOfBudget");
}

void recreate(Rig& rig, int gang) {
    rig.remove_pod(name_of(gang) + "-0");
    comes(rig, name_of(gang), 0);
}

// Each gang is searched for once, and then rests: the last one for 640 ms.
void recreate_all(Rig& rig) {
    for (int g = 0; g < gangs; ++g)
        recreate(rig, g);
    rig.advance(Time{50});
}

std::uint64_t searches(Rig& rig) {
    return rig.engine.published()->stats.solves_out_of_budget;
}

TEST_CASE("gangs whose searches prove nothing are searched for again in half of the time at most (BD4)") {
    Rig rig(small_budget());
    hard_gangs(rig);
    const auto before = searches(rig);
    for (int i = 0; i < 20; ++i)
        recreate_all(rig);
    CHECK(searches(rig) > before + gangs);
    CHECK(searches(rig) <= before + 2 * gangs + 1000 / 80);
}

TEST_CASE("a gang that rests from its search is Incomplete at once when a member goes") {
    Rig rig(small_budget());
    hard_gangs(rig);
    const auto before = searches(rig);
    recreate_all(rig);
    REQUIRE(searches(rig) == before + gangs);
    const auto last = name_of(gangs - 1);
    rig.remove_pod(last + "-0");
    rig.advance(Time{200});
    CHECK(rig.record(last)->reason == "Incomplete");
    comes(rig, last, 0);
    rig.advance(Time{200});
    CHECK(searches(rig) == before + gangs);
    rig.advance(Time{400});
    CHECK(searches(rig) == before + gangs + 1);
    CHECK(rig.record(last)->reason == "OutOfBudget");
}

TEST_CASE("room that becomes free ends the rest of a gang after its search (Q13)") {
    Rig rig(small_budget());
    hard_gangs(rig);
    recreate_all(rig);
    recreate(rig, gangs - 1);
    for (int host = 0; host < gangs * hosts; ++host)
        rig.node(fmt::format("more{}", host), "b", "r", 101);
    rig.advance(Time{200});
    CHECK(rig.record(name_of(gangs - 1))->phase == model::Phase::held);
}

}  // namespace
}  // namespace echelon::engine

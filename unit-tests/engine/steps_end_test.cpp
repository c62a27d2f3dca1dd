// BD4: one step of the engine does a bounded amount of work; the rest stays due, in order, and inputs come first.

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::count_of;
using test::gang_of_16;
using test::Rig;

Options bounded(std::uint64_t work) {
    auto options = Rig::default_options();
    options.step_work = work;
    return options;
}

// Gangs of one pod each, of several priorities and ages.
void small_gangs(Rig& rig, int count) {
    for (int i = 0; i < count; ++i) {
        const std::string name = fmt::format("g{:04}", i);
        rig.gang({name, 1, test::rack_key, i % 7, i % 11});
        rig.pod(name + "-0", name, true, 1);
    }
}

void sync(Rig& rig) {
    rig.step(Observed{model::Synced{"nodes"}});
    rig.step(Observed{model::Synced{"pods"}});
}

// The gangs that hold seats, as they were planned.
std::vector<std::string> planned(const Rig& rig) {
    std::vector<std::string> gangs;
    for (const auto& note : rig.notes) {
        if (note.sentence.starts_with("holds "))
            gangs.push_back(note.gang);
    }
    return gangs;
}

TEST_CASE("a step plans some of a thousand due gangs, and the next ones go on in the same order (BD4)") {
    constexpr int count = 1'000;
    Rig whole;
    whole.fabric(1, 8, 16);
    small_gangs(whole, count);
    sync(whole);
    REQUIRE(planned(whole).size() == count);

    Rig rig(bounded(500));
    rig.fabric(1, 8, 16);
    small_gangs(rig, count);
    sync(rig);
    const auto first = planned(rig).size();
    CHECK(first > 0);
    CHECK(first < count / 2);
    int steps = 0;
    for (; planned(rig).size() < count && steps < count; ++steps) {
        CHECK(rig.engine.wakes_at() <= rig.now);
        const auto before = planned(rig).size();
        rig.step(Ticked{});
        CHECK(planned(rig).size() > before);
    }
    CHECK(steps > 1);
    CHECK(planned(rig) == planned(whole));
    CHECK(rig.engine.wakes_at() > rig.now);
}

// How many steps it takes to plan 60 gangs that each wait for a second pod, so that nothing is searched.
int steps_to_plan(bool are_co_located) {
    Rig rig(bounded(1'000));
    rig.fabric(1, 2, 16);
    for (int i = 0; i < 60; ++i) {
        const std::string name = fmt::format("g{:02}", i);
        rig.gang({name, 2, test::rack_key});
        rig.pod(name + "-0", name, true, 1);
        if (!are_co_located || i == 0)
            continue;
        rig.change_pod(name + "-0", [](model::Pod& pod) {
            model::Group more;
            more.key = pod.membership->leaf;
            more.only_supplements = true;
            more.anchor = model::GroupKey{"podgroup", "default/g00"};
            pod.membership->declared.edit().push_back(more);
        });
    }
    sync(rig);
    int steps = 1;
    for (; rig.engine.wakes_at() <= rig.now && steps < 100; ++steps)
        rig.step(Ticked{});
    return steps;
}

TEST_CASE("reading the gangs that a gang is co-located with is work of the step (X5, BD4)") {
    CHECK(steps_to_plan(true) >= 2 * steps_to_plan(false));
}

TEST_CASE("facts that go on coming don't keep a due gang from being planned (BD4)") {
    Rig rig(bounded(1));
    rig.fabric(1, 2, 16);
    small_gangs(rig, 40);
    sync(rig);
    constexpr std::size_t facts = 30;  // With so little work each gang takes a short search, then a whole one.
    const auto before = planned(rig).size();
    for (std::size_t i = 0; i < facts; ++i)
        rig.pod(fmt::format("plain-{}", i), "", false, 0);
    CHECK(planned(rig).size() >= before + facts / 2);
}

TEST_CASE("the step after the one that planned a large gang releases its members (BD4)") {
    Rig rig(bounded(100));
    gang_of_16(rig);
    sync(rig);
    for (int steps = 0; planned(rig).empty() && steps < 100; ++steps) {
        rig.now = std::max(rig.now, rig.engine.wakes_at().value_or(rig.now));
        rig.step(Ticked{});
    }
    REQUIRE(planned(rig).size() == 1);
    CHECK(rig.writes.empty());
    CHECK(rig.filter("train-0").node.empty());
    REQUIRE(rig.engine.wakes_at() <= rig.now);
    rig.step(Ticked{});
    CHECK(count_of(rig.writes, "nominate") == 16);
    CHECK_FALSE(rig.filter("train-0").node.empty());
}

TEST_CASE("the step after the one that resolved a topology plans (BD4)") {
    Rig rig(bounded(10'000));
    rig.fabric(1, 2, 16);
    sync(rig);
    rig.gang({"wide", 17, test::rack_key});
    rig.pods("wide", 0, 17);
    rig.advance(Time{5000});
    REQUIRE(planned(rig).empty());
    rig.node("one-more", "b0", "r1");
    model::Topology zones;
    zones.name = "zones";
    zones.levels = {"example.com/zone"};
    rig.step(Observed{model::TopologySeen{zones}});
    rig.now += Time{100};  // Now both are due.
    rig.step(Ticked{});
    CHECK(planned(rig).empty());
    REQUIRE(rig.engine.wakes_at() <= rig.now);
    rig.step(Ticked{});
    CHECK(planned(rig).size() == 1);
}

TEST_CASE("a lead that ends between two steps ends the planning of the rest (BD4)") {
    Rig rig(bounded(200));
    rig.fabric(1, 8, 16);
    small_gangs(rig, 300);
    sync(rig);
    const auto before = planned(rig).size();
    REQUIRE(before < 300);
    rig.step(LeadChanged{false});
    for (int i = 0; i < 5; ++i)
        rig.step(Ticked{});
    CHECK(planned(rig).size() == before);
}

TEST_CASE("within one batch the end of the lead is handled first (BD4)") {
    Rig rig(bounded(200));
    gang_of_16(rig);
    rig.synced();
    rig.advance(Time{1000});
    const auto seat = rig.filter("train-0").node;
    REQUIRE(!seat.empty());
    const auto& pod = rig.pod_of("train-0");
    const std::array<Input, 2> together = {BindCalled{7'001, {pod.ns, pod.name, pod.uid}, seat}, LeadChanged{false}};
    const auto actions = rig.engine.step(together, rig.now);
    const auto is_told = std::ranges::any_of(actions, [](const Action& action) {
        const auto* answer = std::get_if<AnswerBind>(&action);
        return answer != nullptr && answer->call == 7'001 && !answer->error.empty();
    });
    CHECK(is_told);
}

TEST_CASE("a plain bind is posted before gangs that are due are planned (BD4)") {
    Rig rig(bounded(200));
    rig.fabric(1, 8, 16);
    small_gangs(rig, 300);
    rig.pod("plain", "", false, 1);
    sync(rig);
    const auto before = planned(rig).size();
    REQUIRE(before < 250);
    rig.filter("plain");
    const auto between = planned(rig).size();
    rig.bind("plain", "b0-r7-h15");
    CHECK(count_of(rig.writes, "bind plain") == 1);
    CHECK(planned(rig).size() == between);
    rig.step(Ticked{});
    CHECK(planned(rig).size() > between);
}

TEST_CASE("planning goes on however many calls come (BD4)") {
    Rig rig(bounded(200));
    rig.fabric(1, 8, 16);
    small_gangs(rig, 300);
    sync(rig);
    const auto before = planned(rig).size();
    REQUIRE(before < 250);
    rig.hang_up(1);
    rig.hang_up(2);
    CHECK(planned(rig).size() > before);
}

TEST_CASE("the bindings of a commit are posted while gangs are due (BD4)") {
    Rig rig(bounded(60));
    gang_of_16(rig);
    rig.synced();
    rig.settle();
    rig.advance(Time{1000});
    rig.holds_back_writes = true;
    REQUIRE(rig.arrive("train", 0, 16).size() == 16);
    small_gangs(rig, 300);
    rig.now += Time{600};
    rig.step(Ticked{});
    const auto before = planned(rig).size();
    REQUIRE(before < 100);
    std::optional<std::size_t> planned_by_then;
    rig.fate = [&](const model::Write&) -> std::optional<model::Outcome> {
        if (!planned_by_then && count_of(rig.writes, "bind train-") == 16)
            planned_by_then = planned(rig).size();
        return std::nullopt;
    };
    rig.holds_back_writes = false;
    rig.settle();
    CHECK(count_of(rig.writes, "bind train-") == 16);
    REQUIRE(planned_by_then);
    CHECK(*planned_by_then < 300);
}

}  // namespace
}  // namespace echelon::engine

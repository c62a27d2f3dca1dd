// What the engine counts for /metrics, and when.

#include "engine/invariant.hpp"
#include "solver/violations.hpp"
#include "unit-tests/engine/support/rig.hpp"

#include <array>
#include <numeric>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::gang_of_16;
using test::GangSpec;
using test::Rig;

const auto& waits_of(const PublishedState& published, WaitResult result) {
    return published.stats.waits.at(static_cast<std::size_t>(result));
}

template <typename DurationHistogram>
std::uint64_t count_in(const DurationHistogram& durations) {
    return std::accumulate(durations.counts.begin(), durations.counts.end(), std::uint64_t{0});
}

TEST_CASE("a duration falls into the first bucket that doesn't end before it") {
    base::DurationHistogram<1000, 2> durations;  // Up to 1, 2, 4 ms, and beyond.
    for (const auto took : {0, 1000, 1001, 2000, 4000, 4001, 1'000'000})
        durations.add(std::chrono::microseconds(took));
    CHECK(durations.counts == std::array<std::uint64_t, 4>{2, 2, 1, 2});
    CHECK(durations.sum_seconds == doctest::Approx(1.012002));
}

TEST_CASE("a member's wait at the barrier is counted once, from its call to its release") {
    Rig rig;
    gang_of_16(rig, false);
    rig.synced();
    rig.arrive("train", 0, 15);
    rig.advance(Time{7000});
    CHECK(count_in(waits_of(*rig.engine.published(), WaitResult::released)) == 0);
    rig.arrive("train", 15, 16);
    rig.advance(Time{1000});
    REQUIRE(rig.bound().size() == 16);
    const auto published = rig.engine.published();
    const auto& released = waits_of(*published, WaitResult::released);
    CHECK(count_in(released) == 16);
    CHECK(released.sum_seconds >= 15 * 7.0);
    CHECK(released.sum_seconds < 15 * 7.0 + 16.0);
    CHECK(count_in(waits_of(*published, WaitResult::aborted)) == 0);
}

TEST_CASE("waits that fail are counted by cause") {
    Rig rig;
    gang_of_16(rig, false);
    rig.synced();
    const auto calls = rig.arrive("train", 0, 3);
    rig.settle();
    rig.hang_up(calls[0]);
    rig.advance(Time{60'000});
    const auto published = rig.engine.published();
    CHECK(count_in(waits_of(*published, WaitResult::client_gone)) == 1);
    CHECK(count_in(waits_of(*published, WaitResult::timeout)) == 2);
    CHECK(waits_of(*published, WaitResult::timeout).sum_seconds == doctest::Approx(100.0).epsilon(0.01));
    CHECK(count_in(waits_of(*published, WaitResult::released)) == 0);

    rig.arrive("train", 3, 4);
    rig.settle();
    rig.step(Draining{});
    CHECK(count_in(waits_of(*rig.engine.published(), WaitResult::aborted)) == 1);
}

TEST_CASE("the time to bound starts when a gang is first planned; a gang from before the start has none") {
    Rig rig;
    rig.fabric(2, 2, 16);
    rig.gang({"old", 2, test::rack_key});
    rig.pods("old", 0, 2, false);
    rig.synced();
    rig.schedule_all();
    rig.advance(Time{1000});
    REQUIRE(rig.bound().size() == 2);
    CHECK(count_in(rig.engine.published()->stats.to_bound) == 0);

    rig.gang({"new", 2, test::rack_key});
    rig.advance(Time{30'000});
    rig.pods("new", 0, 2, false);
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    REQUIRE(rig.bound().size() == 4);
    const auto to_bound = rig.engine.published()->stats.to_bound;
    CHECK(count_in(to_bound) == 1);
    CHECK(to_bound.sum_seconds >= 31.0);
    CHECK(to_bound.sum_seconds < 34.0);
}

TEST_CASE("solves are timed by the stopwatch that is given, by result, and decide the same without one") {
    auto options = Rig::default_options();
    Rig plain(options);
    auto ticks = std::chrono::milliseconds(0);
    options.stopwatch = [&ticks] { return ticks += std::chrono::milliseconds(3); };
    Rig timed(options);
    for (auto* rig : {&plain, &timed}) {
        gang_of_16(*rig);
        rig->gang({"large", 17, test::rack_key});
        rig->pods("large", 0, 17);
        rig->synced();
        rig->schedule_all();
        rig->advance(Time{1000});
    }
    CHECK(plain.log == timed.log);
    const auto stats = timed.engine.published()->stats;
    const auto& placed = stats.solves.at(static_cast<std::size_t>(SolveResult::placed));
    const auto& infeasible = stats.solves.at(static_cast<std::size_t>(SolveResult::infeasible));
    CHECK(count_in(placed) == stats.solves_placed);
    CHECK(count_in(infeasible) == stats.solves_infeasible);
    CHECK(stats.solves_infeasible > 0);
    CHECK(placed.sum_seconds == doctest::Approx(0.003 * static_cast<double>(stats.solves_placed)));
    CHECK(count_in(plain.engine.published()->stats.solves.at(0)) == 0);
}

TEST_CASE("refused gangs are counted by the level that lacks room, and no longer once they are placed or gone") {
    Rig rig;
    rig.fabric(2, 2, 16);
    rig.gang({"large", 17, test::rack_key});
    rig.pods("large", 0, 17);
    rig.gang({"short", 4, ""});
    rig.pods("short", 0, 3);
    rig.synced();
    rig.advance(Time{1000});
    const auto unplaced = rig.engine.published()->topology_counts->unplaced;
    CHECK(unplaced.at({model::Reason::impossible, test::rack_key}) == 1);
    CHECK(unplaced.at({model::Reason::incomplete, ""}) == 1);
    CHECK(unplaced.size() == 2);

    rig.pods("short", 3, 4);
    for (int i = 0; i < 17; ++i)
        rig.remove_pod(fmt::format("large-{}", i));
    rig.remove_gang("large");
    rig.advance(Time{1000});
    CHECK(rig.engine.published()->topology_counts->unplaced.empty());
}

TEST_CASE("domains are counted by level, and nodes that lack one") {
    Rig rig;
    rig.fabric(2, 3, 4);
    rig.synced();
    rig.advance(Time{100});
    const auto topology_counts = rig.engine.published()->topology_counts;
    CHECK(topology_counts->domains.at(test::block_key) == 2);
    CHECK(topology_counts->domains.at(test::rack_key) == 6);
    CHECK(topology_counts->domains.at("kubernetes.io/hostname") == 24);
    CHECK(topology_counts->unmapped_nodes == 0);

    rig.node("stray", "b9", "r9");
    rig.change_node("stray", [](model::Node& node) { node.labels.erase(test::rack_key); });
    rig.advance(Time{11'000});
    const auto later = rig.engine.published()->topology_counts;
    CHECK(later->domains.at(test::block_key) == 3);
    CHECK(later->domains.at(test::rack_key) == 6);
    CHECK(later->unmapped_nodes == 1);
}

// Of plans that break one promise each.
TEST_CASE("violations that the referee finds are counted by invariant") {
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    for (int n = 0; n < 2; ++n) {
        model::Node node;
        node.name = fmt::format("n{}", n);
        node.labels = {{test::rack_key, fmt::format("r{}", n)}};
        node.allocatable = {{test::gpu, 1}, {"pods", 10}};
        static_cast<void>(cluster.apply(model::NodeSeen{node}));
    }
    model::Group group;
    group.key = {"podgroup", "default/overcommitted"};  // The kind of the violation counts, not words in its sentence.
    group.minimum = 2;
    group.required = {test::rack_key};
    static_cast<void>(cluster.apply(model::GroupSeen{group}));
    for (int p = 0; p < 2; ++p) {
        model::Pod pod;
        pod.uid = pod.name = fmt::format("train-{}", p);
        pod.ns = "default";
        pod.scheduler_name = "default-scheduler";
        pod.pod_class.requests = {{test::gpu, 1}, {"pods", 1}};
        pod.membership = model::Membership{group.key, {}, -1, {}};
        static_cast<void>(cluster.apply(model::PodSeen{pod}));
    }
    const auto snapshot = cluster.snapshot();
    const auto gang = cluster.gang(group.key, snapshot);
    const auto judge = [&](std::vector<solver::Seat> seats) {
        solver::Plan plan;
        plan.seats = std::move(seats);
        const auto found = solver::violations(snapshot, gang, plan);
        REQUIRE(!found.empty());
        CAPTURE(found.front().sentence);
        return broken_by(found.front().kind);
    };
    CHECK(judge({{0, 0}, {1, 0}}) == Invariant::no_double_hold);
    CHECK(judge({{0, 0}, {1, 1}}) == Invariant::topology_held);
    CHECK(judge({{0, 0}}) == Invariant::no_partial_gang);
    CHECK(judge({{1, 0}, {0, 0}}) == Invariant::bind_matches_plan);
}

TEST_CASE("a pod that is seen on two nodes is counted and reported") {
    Rig rig;
    rig.fabric(1, 1, 2);
    rig.pod("plain", "");
    rig.synced();
    rig.change_pod("plain", [](model::Pod& pod) { pod.node = "b0-r0-h0"; });
    auto moved = rig.pod_of("plain");
    moved.node = "b0-r0-h1";
    const auto actions = rig.engine.step(Observed{model::PodSeen{moved, {}}}, rig.now);
    REQUIRE(actions.size() == 1);
    const auto& note = std::get<Note>(actions.front());
    CHECK(note.level == Note::Level::bug);
    CHECK(note.sentence ==
          "pod \"default/plain\" is on node \"b0-r0-h1\", and was on \"b0-r0-h0\" before: a pod never moves");
    CHECK(rig.engine.published()->stats.violations.at(static_cast<std::size_t>(Invariant::cache_truth)) == 1);
}

}  // namespace
}  // namespace echelon::engine

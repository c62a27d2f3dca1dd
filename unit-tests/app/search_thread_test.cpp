// Long searches run on a separate thread, in order.

#include "app/search_thread.hpp"

#include "app/engine_loop.hpp"
#include "engine/plan/long_search.hpp"

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::app {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<engine::LongSearch> any_search(engine::LongSearch::Stopwatch stopwatch = {}) {
    model::Gang gang;
    gang.problem = model::Problem{};  // Judged before any search.
    return std::make_shared<engine::LongSearch>(model::Snapshot{}, gang, solver::SolveOptions{}, std::move(stopwatch));
}

TEST_CASE("long searches end in their order, on another thread (BD4)") {
    std::mutex mutex;
    std::vector<std::uint64_t> ended;
    std::promise<std::thread::id> last;
    std::vector<std::shared_ptr<engine::LongSearch>> kept;
    {
        SearchThread searches([&](std::uint64_t search) {
            const std::lock_guard lock(mutex);
            ended.push_back(search);
            if (search == 3)
                last.set_value(std::this_thread::get_id());
        });
        for (const std::uint64_t number : {1U, 2U, 3U})
            searches.submit({number, kept.emplace_back(any_search())});
        CHECK(last.get_future().get() != std::this_thread::get_id());
    }
    CHECK(ended == std::vector<std::uint64_t>{1, 2, 3});
}

TEST_CASE("a stopped search thread ends after the current search, and drops those that wait (BD4)") {
    std::promise<void> begun;
    std::promise<void> may_end;
    std::vector<std::uint64_t> ended;
    const auto first = any_search([&, is_first = true]() mutable {
        if (std::exchange(is_first, false)) {
            begun.set_value();
            may_end.get_future().wait();
        }
        return 0ns;
    });
    const auto second = any_search();
    {
        SearchThread searches([&](std::uint64_t search) { ended.push_back(search); });
        searches.submit({1, first});
        searches.submit({2, second});
        begun.get_future().wait();
        searches.end();
        may_end.set_value();
    }
    CHECK(ended == std::vector<std::uint64_t>{1});
}

TEST_CASE("a long search that the engine has forgotten isn't carried out (BD4)") {
    bool has_run = false;
    std::promise<void> ended;
    SearchThread searches([&](std::uint64_t /*search*/) { ended.set_value(); });
    searches.submit({1, any_search([&] {
                         has_run = true;
                         return 0ns;
                     })});
    ended.get_future().wait();
    CHECK(!has_run);
}

// A gang of one on the real loop, whose every search is a long one.
TEST_CASE("the engine's loop hands out long searches and goes on with their results (BD4)") {
    engine::Options options;
    options.profiles["default-scheduler"] = {};
    options.settle = engine::Time{0};
    options.step_work = 1;
    options.async_searches = true;
    std::promise<std::string> planned;
    EngineLoop loop(options, [&](const engine::Action& action) {
        const auto* write = std::get_if<engine::StartWrite>(&action);
        if (write != nullptr && std::holds_alternative<model::NominatePod>(write->what))
            planned.set_value(std::get<model::NominatePod>(write->what).node);
    });
    loop.start();
    model::Node node;
    node.name = "n1";
    node.allocatable = {{"cpu", 4000}, {"pods", 10}};
    model::Group group;
    group.key = {"podgroup", "default/train"};
    group.minimum = 1;
    group.uid = "g";
    model::Pod pod;
    pod.uid = "uid";
    pod.ns = "default";
    pod.name = "a";
    pod.scheduler_name = "default-scheduler";
    pod.pod_class.requests = {{"cpu", 3000}, {"pods", 1}};
    pod.gates = {model::gang_gate};
    pod.membership = model::Membership{group.key, {}, -1, ""};
    loop.push(engine::Observed{model::NodeSeen{node}});
    loop.push(engine::Observed{model::GroupSeen{group}});
    loop.push(engine::Observed{model::PodSeen{pod}});
    auto found = planned.get_future();
    REQUIRE(found.wait_for(20s) == std::future_status::ready);
    CHECK(found.get() == "n1");
    loop.stop();
}

}  // namespace
}  // namespace echelon::app

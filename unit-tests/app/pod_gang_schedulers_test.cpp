// Z29: the scheduler that a PodGang names, read from the API server with few reads and short waits.

#include "app/pod_gang_schedulers.hpp"

#include "unit-tests/kube/fake_apiserver.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <mutex>
#include <string>

#include <doctest/doctest.h>

namespace echelon::app {
namespace {

using namespace std::chrono_literals;
using kube::FakeApiServer;

const std::string labelled = R"({"metadata": {"labels": {"grove.io/scheduler-name": "koord-scheduler"}}})";
const std::string unlabelled = R"({"metadata": {"labels": {"app": "demo"}}})";

// No time runs out in a test by chance.
constexpr PodGangTimes patient{
    .read = kube::test_patience, .wait = kube::test_patience, .rest = kube::test_patience, .keep = kube::test_patience};

// An API server that gives every PodGang the same answer.
struct PodGangs {
    void say(int code, const std::string& text) {
        const std::lock_guard lock(mutex);
        status = code;
        body = text;
    }
    [[nodiscard]] std::size_t reads() const { return server.seen.all().size(); }

    std::mutex mutex;
    int status = 200;               // Guarded by mutex.
    std::string body = labelled;    // Guarded by mutex.
    std::promise<void> may_answer;  // Awaited by reads if `is_slow`.
    std::shared_future<void> gate = may_answer.get_future().share();
    std::atomic<bool> is_slow = false;
    FakeApiServer server{[this](const httplib::Request&, httplib::Response& response) {
        if (is_slow)
            gate.wait_for(kube::test_patience);
        const std::lock_guard lock(mutex);
        response.status = status;
        response.set_content(body, "application/json");
    }};
};

}  // namespace

TEST_CASE("the pods of a PodGang cost one read, also if it names no scheduler") {
    PodGangs gangs;
    PodGangSchedulers schedulers(gangs.server.credentials(), patient);
    CHECK(schedulers.of("team", "first") == "koord-scheduler");
    CHECK(schedulers.of("team", "first") == "koord-scheduler");
    CHECK(gangs.reads() == 1);
    gangs.say(200, unlabelled);
    for (int pod = 0; pod < 3; ++pod)
        CHECK(schedulers.of("team", "second").empty());
    CHECK(gangs.reads() == 2);
    CHECK(gangs.server.seen.all().back().target == "/apis/scheduler.grove.io/v1alpha1/namespaces/team/podgangs/second");
}

TEST_CASE("a label that a PodGang gets later is found after some seconds") {
    PodGangs gangs;
    auto times = patient;
    times.keep = 20ms;
    PodGangSchedulers schedulers(gangs.server.credentials(), times);
    gangs.say(200, unlabelled);
    CHECK(schedulers.of("team", "demo").empty());
    gangs.say(200, labelled);
    CHECK(kube::becomes_true([&] { return schedulers.of("team", "demo") == "koord-scheduler"; }));
}

TEST_CASE("a PodGang that isn't there yet is looked for again with the next pod") {
    PodGangs gangs;
    PodGangSchedulers schedulers(gangs.server.credentials(), patient);
    gangs.say(404, R"({"kind": "Status", "code": 404})");
    CHECK(schedulers.of("team", "demo").empty());
    gangs.say(200, labelled);
    CHECK(schedulers.of("team", "demo") == "koord-scheduler");
}

TEST_CASE("pods of one PodGang that come together get the same answer from one read") {
    PodGangs gangs;
    gangs.is_slow = true;
    PodGangSchedulers schedulers(gangs.server.credentials(), patient);
    const auto ask = [&] { return schedulers.of("team", "demo"); };
    auto first = std::async(std::launch::async, ask);
    REQUIRE(gangs.server.seen.wait_for_count(1));
    auto second = std::async(std::launch::async, ask);
    CHECK(second.wait_for(20ms) == std::future_status::timeout);
    gangs.may_answer.set_value();
    CHECK(first.get() == "koord-scheduler");
    CHECK(second.get() == "koord-scheduler");
    CHECK(gangs.reads() == 1);
}

TEST_CASE("while one worker waits for a slow API server, the others answer soon, and known PodGangs at once") {
    PodGangs gangs;
    auto times = patient;
    times.wait = 10ms;
    PodGangSchedulers schedulers(gangs.server.credentials(), times);
    CHECK(schedulers.of("team", "known") == "koord-scheduler");
    gangs.is_slow = true;
    auto first = std::async(std::launch::async, [&] { return schedulers.of("team", "slow"); });
    REQUIRE(gangs.server.seen.wait_for_count(2));
    for (const auto* gang : {"slow", "other", "third"})
        CHECK(schedulers.of("team", gang).empty());
    CHECK(schedulers.of("team", "known") == "koord-scheduler");
    CHECK(first.wait_for(0s) == std::future_status::timeout);
    gangs.may_answer.set_value();
    CHECK(first.get() == "koord-scheduler");
    CHECK(schedulers.of("team", "slow") == "koord-scheduler");
    CHECK(gangs.reads() == 2);
}

TEST_CASE("after a read that failed nothing is read for a moment") {
    PodGangs gangs;
    auto times = patient;
    PodGangSchedulers resting(gangs.server.credentials(), times);
    gangs.say(503, "{}");
    for (const auto* gang : {"demo", "other"})
        CHECK(resting.of("team", gang).empty());
    CHECK(gangs.reads() == 1);
    times.rest = 20ms;
    PodGangSchedulers rested(gangs.server.credentials(), times);
    CHECK(rested.of("team", "demo").empty());
    gangs.say(200, labelled);
    CHECK(kube::becomes_true([&] { return rested.of("team", "demo") == "koord-scheduler"; }));
}

}  // namespace echelon::app

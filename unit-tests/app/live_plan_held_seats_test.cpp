// What the body of a request changes about members with a promised seat counts (Z40).

#include "unit-tests/app/support/live_planning.hpp"

#include <string>

#include <doctest/doctest.h>

namespace echelon::app {
namespace {

using namespace test;

engine::RunningState held_job() {
    auto state = running({model::NodeSeen{node("n0", 2)}, group("job", 2), member("job", 0), member("job", 1)});
    const model::GroupKey owner{"podgroup", "default/job"};
    state.ledger.put("uid-of-job-0", {.node = "n0", .requests = {{"gpu", 1}, {"pods", 1}}, .owner = owner});
    state.ledger.put("uid-of-job-1", {.node = "n0", .requests = {{"gpu", 1}, {"pods", 1}}, .owner = owner});
    return state;
}

// The two members as `kubectl get -o yaml` prints them, with their UIDs, each with other words.
std::string edited(const std::string& gpus, const std::string& more) {
    std::string text = manifest_of("job", 2);
    for (const char* n : {"0", "1"}) {
        const std::string name = "name: job-" + std::string(n);
        const auto at = text.find(name);
        REQUIRE(at != std::string::npos);
        text.insert(at + name.size(), ", uid: uid-of-job-" + std::string(n) + more);
    }
    for (auto at = text.find("gpu: \"1\""); at != std::string::npos; at = text.find("gpu: \"1\"", at + 1))
        text.replace(at, 8, "gpu: \"" + gpus + "\"");
    return text;
}

TEST_CASE("a member of the body that asks for more than its promised seat is planned anew (Z40)") {
    CHECK(outcomes_of(planned(held_job(), edited("2", ""))) == Outcomes{"default/job: Impossible"});
}

TEST_CASE("a node of the body that is cordoned holds no promised seat (Z40)") {
    const auto reply = planned(held_job(), R"(
apiVersion: v1
kind: Node
metadata: {name: n0}
spec: {unschedulable: true}
status: {allocatable: {gpu: "2", pods: "110"}, conditions: [{type: Ready, status: "True"}]}
)",
                               {.manifests = {}, .gang = "default/job"});
    CHECK(outcomes_of(reply) == Outcomes{"default/job: Impossible"});
}

TEST_CASE("members that the body deletes keep no room from another gang (Z40)") {
    const auto reply = planned(held_job(), edited("1", ", deletionTimestamp: \"2026-01-01T00:00:00Z\"") +
                                               manifest_of("other", 2, "priority: 5"));
    CHECK(outcomes_of(reply) == Outcomes{"default/other: Placed", "default/job: Incomplete"});
}

}  // namespace
}  // namespace echelon::app

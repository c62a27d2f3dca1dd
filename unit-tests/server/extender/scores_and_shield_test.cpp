// prioritize scores nodes for plain pods whose profile packs, and preempt shields gangs (SC1, PR6).

#include "engine/publish/node_scores.hpp"
#include "server/extender/verbs.hpp"
#include "server/http/request.hpp"
#include "unit-tests/server/edge.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::server {
namespace {

using test::FakeBackend;
using test::filter_args;

const model::Amounts requests = {{"gpu", 4}};

std::shared_ptr<engine::PublishedState> scored_published() {
    auto published = test::published_with({{"member", test::pinned("n1")}});
    const std::vector<std::string> nodes = {"n0", "n1", "n2"};
    engine::NodeScores::ByRequests scores;
    scores[requests] = std::make_shared<const std::vector<std::uint8_t>>(std::vector<std::uint8_t>{10, 0, 7});
    published->scores =
        std::make_shared<const engine::NodeScores>(std::make_shared<const engine::NodePlaces>(nodes), scores);
    return published;
}

struct Scene {
    explicit Scene(std::shared_ptr<engine::PublishedState> published, bool packs = true, std::int64_t gpus = 4) {
        backend.show(std::move(published));
        callbacks = backend.as_backend();
        callbacks.packs = [packs](std::string_view scheduler) { return packs && scheduler == test::our_scheduler; };
        callbacks.plain_pod = [gpus](std::string_view) { return model::PlainPod{.requests = {{"gpu", gpus}}}; };
        callbacks.now = [] { return engine::Time{0}; };
    }
    VerbAnswer prioritize(std::string body) const {
        body.append(body_padding, ' ');
        return Verbs(callbacks).prioritize(std::string_view(body).substr(0, body.size() - body_padding));
    }
    VerbAnswer preempt(std::string body) const {
        body.append(body_padding, ' ');
        return Verbs(callbacks).preempt(std::string_view(body).substr(0, body.size() - body_padding));
    }

    FakeBackend backend;
    Backend callbacks;
};

TEST_CASE("plain pods of a profile that packs get the scores of their nodes (SC1)") {
    const Scene scene(scored_published());
    CHECK(scene.prioritize(filter_args("plain", R"(["n2","n0","n1","new"])")).body ==
          R"([{"Host":"n2","Score":7},{"Host":"n0","Score":10},{"Host":"n1","Score":0},{"Host":"new","Score":0}])");
}

TEST_CASE("everybody else gets an empty list, and a body that can't be read is counted (SC1)") {
    const std::string names = R"(["n0","n1"])";
    CHECK(Scene(scored_published(), false).prioritize(filter_args("plain", names)).body == "[]");
    CHECK(Scene(test::published_with({})).prioritize("garbage").body == "[]");
    CHECK(Scene(scored_published(), true, 5).prioritize(filter_args("plain", names)).body == "[]");
    const Scene scene(scored_published());
    CHECK(scene.prioritize(filter_args("member", names)).body == "[]");
    CHECK(scene.prioritize(filter_args("young", names, test::our_scheduler, R"(,"labels":{"gang":"g"})")).body == "[]");
    CHECK(scene.prioritize(filter_args("plain", names, "other")).body == "[]");
    CHECK(scene.prioritize(filter_args("plain", "[]")).body == "[]");
    const auto garbage = scene.prioritize("garbage");
    CHECK(garbage.body == "[]");
    CHECK(garbage.status == 200);
    CHECK(garbage.result == CallResult::bad_request);
}

// A backend whose engine lets only these victims go.
Backend shielding(Backend backend, const std::vector<std::string>& may_go) {
    backend.may_evict = [may_go](const std::vector<std::vector<std::string>>& victims) {
        std::vector<bool> may;
        for (const auto& of_node : victims)
            may.push_back(of_node == may_go);
        return std::optional(may);
    };
    return backend;
}

std::string preempt_args(std::string_view scheduler) {
    return fmt::format(
        R"({{"Pod":{{"metadata":{{"name":"p","namespace":"ns","uid":"p"}},"spec":{{"schedulerName":"{}"}}}},)"
        R"("NodeNameToMetaVictims":{{"n0":{{"Pods":[{{"UID":"t0"}},{{"UID":"t1"}}],"NumPDBViolations":0}},)"
        R"("n1":{{"Pods":[{{"UID":"t2"}},{{"UID":"plain"}}],"NumPDBViolations":1}}}}}})",
        scheduler);
}

TEST_CASE("a node whose victims a gang needs is no candidate, for any scheduler (PR6)") {
    Scene scene(test::published_with({}));
    scene.callbacks = shielding(scene.callbacks, {"t2", "plain"});
    for (const auto* scheduler : {"echelon-scheduler", "other"}) {
        CHECK(scene.preempt(preempt_args(scheduler)).body ==
              R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"t2"},{"UID":"plain"}],"NumPDBViolations":1}}})");
    }
}

TEST_CASE("no pod is evicted for ours before the model is synced, nor for anybody if the engine doesn't answer (PR6)") {
    auto published = test::published_with({});
    published->unsynced = {"pods"};
    Scene young(published);
    young.callbacks = shielding(young.callbacks, {"t2", "plain"});
    CHECK(young.preempt(preempt_args("echelon-scheduler")).body == R"({"NodeNameToMetaVictims":{}})");
    Scene silent(test::published_with({}));
    silent.callbacks.may_evict = [](const auto&) { return std::optional<std::vector<bool>>(); };
    const auto answer = silent.preempt(preempt_args("other"));
    CHECK(answer.body == R"({"NodeNameToMetaVictims":{}})");
    CHECK(answer.result == CallResult::error);
}

}  // namespace
}  // namespace echelon::server

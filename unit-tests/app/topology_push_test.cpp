// Pushed topologies: the answers to callers, and the watched ConfigMap.

#include "app/topology_push.hpp"

#include "kube/json/packed_text.hpp"
#include "unit-tests/kube/fake_apiserver.hpp"

#include <atomic>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace echelon;
using kube::FakeApiServer;
using kube::Happenings;
using Verb = server::Backend::TopologyCall::Verb;

namespace {

const std::string document =
    R"({"instances": [{"id": "n0", "network_layers": ["leaf0"]}, {"id": "n1", "network_layers": ["leaf1"]}, 7]})";

struct Pushing {
    server::Backend::TopologyReply call(Verb verb, const std::string& name, const std::string& text = {}) {
        const auto before = replies.all().size();
        push.call({verb, name, text}, [this](const server::Backend::TopologyReply& reply) { replies.add(reply); });
        REQUIRE(replies.wait_for_count(before + 1));
        return replies.all().back();
    }

    std::atomic<int> status = 200;
    FakeApiServer server{[this](const httplib::Request&, httplib::Response& response) {
        response.status = status;
        response.set_content("{}", "application/json");
    }};
    Happenings<server::Backend::TopologyReply> replies;
    app::TopologyPush push{server.credentials(), {.store_namespace = "kube-system", .store_name = "topologies"}};
};

}  // namespace

TEST_CASE("a pushed topology is written, and the answer says what was understood") {
    Pushing pushing;
    const auto kept = pushing.call(Verb::keep, "fabric", document);
    CHECK(kept.status == 200);
    const auto told = nlohmann::json::parse(kept.text);
    CHECK(told["name"] == "fabric");
    CHECK(told["levels"] == nlohmann::json{"fabric.topograph.run/tier-0"});
    CHECK(told["instances"] == 2);
    CHECK(told["faults"] == nlohmann::json{"instances[2]: must be an object, not 7"});
    const auto seen = pushing.server.seen.all();
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].method == "PATCH");
    const auto patch = nlohmann::json::parse(seen[0].body);
    CHECK(kube::unpack(patch["binaryData"]["fabric"].get<std::string>(), 1000) == document);
    // It is there once the watch has shown it.
    CHECK(pushing.call(Verb::show, "fabric").status == 404);
    const nlohmann::json object = {{"binaryData", {{"fabric", kube::pack(document)}}}};
    CHECK(pushing.push.topologies().apply(object, kube::Change::seen).size() == 2);
    CHECK(pushing.call(Verb::show, "fabric").text == document);
    CHECK(pushing.call(Verb::forget, "fabric").status == 200);
    CHECK(nlohmann::json::parse(pushing.server.seen.all()[1].body)["binaryData"]["fabric"].is_null());
}

TEST_CASE("an unusable document is answered with one sentence, and nothing is written") {
    Pushing pushing;
    CHECK(pushing.call(Verb::keep, "fabric", "").text == "is empty\n");
    CHECK(pushing.call(Verb::keep, "fabric", "{\"instances\": []}").text == "lists no node\n");
    CHECK(pushing.call(Verb::keep, "fabric", "[]").status == 400);
    CHECK(pushing.call(Verb::keep, "a/b", document).status == 400);
    CHECK(pushing.call(Verb::show, "..").status == 400);
    CHECK(pushing.call(Verb::forget, "fabric").status == 404);
    CHECK(pushing.server.seen.all().empty());
}

TEST_CASE("a refusal of the API server is passed on, and after shutdown nothing is accepted") {
    Pushing pushing;
    pushing.status = 403;
    CHECK(pushing.call(Verb::keep, "fabric", document).status == 502);
    pushing.status = 404;
    CHECK(pushing.call(Verb::keep, "fabric", document).text.ends_with("; the ConfigMap of topologyStore must exist\n"));
    pushing.push.end();
    CHECK(pushing.call(Verb::keep, "fabric", document).status == 503);
}

TEST_CASE("the ConfigMap is watched when the settings name one") {
    config::Settings settings;
    CHECK_FALSE(app::watcher_options(settings, nullptr).store);
    settings.topology_store = config::TopologyStore{.store_namespace = "a", .store_name = "b"};
    const auto store = app::watcher_options(settings, nullptr).store;
    REQUIRE(store);
    CHECK(store->place.ns == "a");
    CHECK(store->place.name == "b");
}

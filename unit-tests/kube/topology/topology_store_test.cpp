// Pushed topologies are written one after another, and every answer of the API server is passed on.

#include "kube/topology/topology_store.hpp"

#include "kube/json/packed_text.hpp"
#include "unit-tests/kube/fake_apiserver.hpp"

#include <atomic>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using nlohmann::json;
using Kind = model::Outcome::Kind;

const ConfigMapRef place{.ns = "kube-system", .name = "topologies"};

}  // namespace

TEST_CASE("a document becomes one entry of the ConfigMap, and nothing else there is changed") {
    const auto request = request_of_topology(place, "fabric", "a document");
    CHECK(request.method == "PATCH");
    CHECK(request.target == "/api/v1/namespaces/kube-system/configmaps/topologies?fieldManager=echelon");
    CHECK(request.content_type == "application/merge-patch+json");
    const auto patch = json::parse(request.body);
    CHECK(unpack(patch["binaryData"]["fabric"].get<std::string>(), 1000) == "a document");
    CHECK(patch["data"] == json{{"fabric", nullptr}, {"fabric.json", nullptr}, {"fabric.yaml", nullptr}});
    CHECK(json::parse(request_of_topology(place, "fabric", std::nullopt).body)["binaryData"]["fabric"].is_null());
}

TEST_CASE("names of topologies are keys of a ConfigMap, and no path") {
    for (const char* good : {"fabric", "a", "a.b-c_D9"})
        CHECK(is_topology_name(good));
    for (const char* bad : {"", ".", "..", "-a", "a-", "a/b", "a b", "a\n", "fabric.json", "fabric.yaml"})
        CHECK_FALSE(is_topology_name(bad));
    CHECK(is_topology_name(std::string(63, 'a')));
    CHECK_FALSE(is_topology_name(std::string(64, 'a')));
}

TEST_CASE("each write is answered once with what the API server said") {
    int asked = 0;
    FakeApiServer server([&](const httplib::Request&, httplib::Response& response) {
        response.status = ++asked == 1 ? 200 : 404;
        response.set_content(R"({"message": "configmaps \"topologies\" not found"})", "application/json");
    });
    Happenings<model::Outcome> outcomes;
    TopologyStore store(server.credentials(), place);
    const auto done = [&](const model::Outcome& outcome) { outcomes.add(outcome); };
    CHECK(store.keep("a", "{}", done));
    CHECK(store.keep("b", std::nullopt, done));
    REQUIRE(outcomes.wait_for_count(2));
    CHECK(outcomes.all()[0].kind == Kind::done);
    CHECK(outcomes.all()[1].kind == Kind::gone);
    CHECK(outcomes.all()[1].sentence ==
          "writing ConfigMap kube-system/topologies was answered with 404: configmaps \"topologies\" not found");
    CHECK(server.seen.all()[0].method == "PATCH");
}

TEST_CASE("a store whose server says nothing refuses what is too much, and ends with its scope") {
    std::atomic<FakeApiServer*> self = nullptr;
    FakeApiServer server([&](const httplib::Request&, httplib::Response&) { self.load()->hang(); });
    self = &server;
    Happenings<model::Outcome> outcomes;
    {
        TopologyStore store(server.credentials(), place);
        int taken = 0;
        for (int number = 0; number < 100; ++number)
            taken += store.keep("a", "{}", [&](const model::Outcome& outcome) { outcomes.add(outcome); }) ? 1 : 0;
        CHECK(taken < 20);
        CHECK(server.seen.wait_for_count(1));
    }
    CHECK(outcomes.all().empty());
}

}  // namespace echelon::kube

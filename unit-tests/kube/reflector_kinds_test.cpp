// How does a ReflectorThread treat kinds that are forbidden, served in other versions, or that come and go?

#include "unit-tests/kube/reflector_scene.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using namespace scene;

TEST_CASE("a forbidden kind is in the status and counts as not listed") {
    Scene scene({refuse(403)}, {refuse(500)});
    CHECK(scene.log.wait_for_count(1));
    CHECK(scene.events.all().empty());
    CHECK_FALSE(scene.status().listed);
    CHECK(scene.log.all().front() == "the list of nodes was answered with 403: as scripted");
}

// Discovery and lists share a script by path.
Scene::Answer by_path(const std::atomic<bool>& served, const std::string& list) {
    return [&served, list](FakeApiServer&, const httplib::Request& request, httplib::Response& response) {
        std::string body = list;
        if (request.path == "/apis/kueue.x-k8s.io") {
            body = R"({"versions":[{"version":"v1beta1"}]})";
        } else if (request.path == "/apis/kueue.x-k8s.io/v1beta1") {
            body = R"({"resources":[{"name":"topologies"}]})";
        } else if (request.path != "/apis/kueue.x-k8s.io/v1beta1/topologies") {
            body = "";
        }
        response.status = served && !body.empty() ? 200 : 404;
        response.set_content(body, "application/json");
    };
}

const std::string topology =
    R"({"metadata":{"name":"t","uid":"1","resourceVersion":"2"},"spec":{"levels":[{"nodeLabel":"rack"}]}})";

TEST_CASE("a forbidden kind that can be done without counts as listed, says why, and is listed once it may be") {
    std::atomic<bool> allowed = false;
    std::atomic<bool> served = true;
    const Scene::Answer found = by_path(served, node_list({topology}, "3"));
    const Scene::Answer list = [&](FakeApiServer& server, const httplib::Request& request,
                                   httplib::Response& response) {
        if (request.path.ends_with("/topologies") && !allowed) {
            refuse(403)(server, request, response);
        } else {
            found(server, request, response);
        }
    };
    Scene scene({list}, {stream({}, Then::hang)}, topologies);
    CHECK(wait_for_last(scene, "synced topologies.kueue.x-k8s.io"));
    CHECK(scene.status().listed);
    CHECK(scene.status().trouble == "the list of topologies.kueue.x-k8s.io was answered with 403: as scripted");
    allowed = true;
    CHECK(wait_for_last(scene, "topology t"));
    CHECK(becomes_true([&] { return scene.status().trouble.empty(); }));
}

TEST_CASE("a kind that can be done without counts as listed if discovery is forbidden, and is listed once it may be") {
    std::atomic<bool> allowed = false;
    std::atomic<bool> served = true;
    const Scene::Answer found = by_path(served, node_list({topology}, "3"));
    const Scene::Answer answer = [&](FakeApiServer& server, const httplib::Request& request,
                                     httplib::Response& response) {
        (allowed ? found : refuse(403))(server, request, response);
    };
    Scene scene({answer}, {stream({}, Then::hang)}, topologies);
    CHECK(wait_for_last(scene, "synced topologies.kueue.x-k8s.io"));
    CHECK(scene.targets("/apis/kueue.x-k8s.io").size() >= 2);  // The first refusal may come before the RBAC rules.
    CHECK(scene.status().listed);
    CHECK(scene.status().served);  // Nobody knows, so pods that name such objects wait.
    CHECK(scene.status().trouble == "discovery: /apis/kueue.x-k8s.io was answered with 403");
    allowed = true;
    CHECK(wait_for_last(scene, "topology t"));
    CHECK(becomes_true([&] { return scene.status().trouble.empty(); }));
}

TEST_CASE("a needed kind doesn't count as listed while discovery is forbidden") {
    constexpr WatchedKind needed{.resource = "topologies",
                                 .group = "kueue.x-k8s.io",
                                 .versions = {"v1beta1"},
                                 .kind = "Topology",
                                 .is_needed = true};
    Scene scene({refuse(403)}, {refuse(403)}, needed);
    CHECK(becomes_true([&] { return scene.targets("/apis/kueue.x-k8s.io").size() >= 4; }));
    CHECK(scene.events.all().empty());
    CHECK_FALSE(scene.status().listed);
}

TEST_CASE("a kind that is served in other versions alone counts as listed, and says so") {
    const Scene::Answer answer = [](FakeApiServer&, const httplib::Request& request, httplib::Response& response) {
        response.set_content(request.path.ends_with("/v9") ? R"({"resources":[{"name":"topologies"}]})"
                                                           : R"({"versions":[{"version":"v9"}]})",
                             "application/json");
    };
    const Scene scene({answer}, {refuse(500)}, topologies);
    CHECK(wait_for_last(scene, "synced topologies.kueue.x-k8s.io"));
    CHECK(scene.status().listed);
    CHECK(scene.status().trouble == "topologies.kueue.x-k8s.io is served in version v9, which isn't known");
    CHECK(scene.log.all().front() == scene.status().trouble);
    CHECK(becomes_true([&] { return scene.targets("/v9").size() > 4; }));
    CHECK(scene.log.all().size() == 1);  // Said once, however often it is asked for.
}

TEST_CASE("pods are read anew when a kind that they name comes or goes, in the middle of a watch") {
    const std::string pod = R"({"metadata":{"name":"p","namespace":"ns","uid":"1","resourceVersion":"3","labels":)"
                            R"({"scheduling.x-k8s.io/pod-group":"g"}}})";
    Scene scene({give(node_list({pod}, "7"))}, {stream({}, Then::hang)}, pods);
    CHECK(wait_for_last(scene, "synced pods"));
    const auto is_watching = [&scene](std::size_t times) {
        return becomes_true([&] { return scene.watched_from().size() >= times; });
    };
    CHECK(is_watching(1));
    scene.tell("podgroups", "scheduling.x-k8s.io", false);
    CHECK(wait_for_last(scene, "pod p of no group"));
    CHECK(is_watching(2));
    scene.tell("podgroups", "scheduling.x-k8s.io", true);
    CHECK(wait_for_last(scene, "pod p of x-k8s-podgroup"));
    CHECK(is_watching(3));
    // What they don't name is nothing to them.
    scene.tell("hypernodes", "topology.volcano.sh", false);
    scene.tell("podgroups", "scheduling.x-k8s.io", true);
    CHECK(scene.events.all() ==
          Lines{"pod p of x-k8s-podgroup", "synced pods", "pod p of no group", "pod p of x-k8s-podgroup"});
    CHECK(scene.status().restarts_error == 0);
}

TEST_CASE("a kind that isn't served counts as listed, and is taken up when it appears and dropped when it goes") {
    std::atomic<bool> served = false;
    std::atomic<bool> watching = false;
    const Scene::Answer watch = [&](FakeApiServer& server, const httplib::Request&, httplib::Response& response) {
        watching = true;
        server.stream(response, {event("BOOKMARK", R"({"metadata":{"resourceVersion":"4"}})")}, Then::close);
        if (!served)
            response.status = 404;
    };
    Scene scene({by_path(served, node_list({topology}, "3"))}, {watch}, topologies);
    CHECK(wait_for_last(scene, "synced topologies.kueue.x-k8s.io"));
    CHECK_FALSE(scene.status().served);
    CHECK(scene.status().listed);
    served = true;
    CHECK(wait_for_last(scene, "topology t"));
    served = false;
    CHECK(wait_for_last(scene, "topology gone t"));
    CHECK(scene.events.all() == Lines{"synced topologies.kueue.x-k8s.io", "topology t", "topology gone t"});
}

// The limits are an hour: whatever the stop doesn't end never ends.

}  // namespace
}  // namespace echelon::kube

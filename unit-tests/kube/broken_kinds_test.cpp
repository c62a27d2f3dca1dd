// How does a ReflectorThread treat kinds that the API server can't list, and records that are served again?

#include "kube/watch/broken_kinds.hpp"

#include "unit-tests/kube/reflector_scene.hpp"

#include <atomic>
#include <chrono>
#include <string>

#include <doctest/doctest.h>

namespace echelon::kube {
namespace {

using namespace scene;

const std::string versions = R"({"versions":[{"version":"v1beta1"}]})";
const std::string resources = R"({"resources":[{"name":"topologies"}]})";
const std::string topology =
    R"({"metadata":{"name":"t","uid":"1","resourceVersion":"2"},"spec":{"levels":[{"nodeLabel":"rack"}]}})";

// The group and its only version are served, and the kind is listed as `list` says.
Scene::Answer listed_by(const Scene::Answer& list) {
    return [list](FakeApiServer& server, const httplib::Request& request, httplib::Response& response) {
        if (request.path == "/apis/kueue.x-k8s.io")
            return give(versions)(server, request, response);
        if (request.path == "/apis/kueue.x-k8s.io/v1beta1")
            return give(resources)(server, request, response);
        list(server, request, response);
    };
}

Scene::Answer repaired_by(const std::atomic<bool>& is_repaired, const Scene::Answer& broken) {
    return [&is_repaired, broken](FakeApiServer& server, const httplib::Request& request, httplib::Response& response) {
        (is_repaired ? listed_by(give(node_list({topology}, "3"))) : broken)(server, request, response);
    };
}

WatchPace patient(milliseconds broken) {
    WatchPace pace = hurried;
    pace.broken = broken;
    return pace;
}

TEST_CASE("a dialect's kind whose lists fail with 5xx for a time counts as listed, and is listed once it can be") {
    std::atomic<bool> is_repaired = false;
    Scene scene({repaired_by(is_repaired, listed_by(refuse(500)))}, {stream({}, Then::hang)}, topologies,
                patient(milliseconds(20)));
    CHECK(wait_for_last(scene, "synced topologies.kueue.x-k8s.io"));
    CHECK(scene.status().listed);
    CHECK(scene.status().served);  // Pods that name such objects wait.
    CHECK(scene.status().trouble == "the list of topologies.kueue.x-k8s.io was answered with 500: as scripted");
    CHECK(scene.log.wait([](const Lines& lines) {
        return !lines.empty() &&
               lines.back() ==
                   "from now on topologies.kueue.x-k8s.io holds up only gangs that need its objects: the list of "
                   "topologies.kueue.x-k8s.io was answered with 500: as scripted";
    }));
    is_repaired = true;
    CHECK(wait_for_last(scene, "topology t"));
    CHECK(becomes_true([&] { return scene.status().trouble.empty(); }));
}

TEST_CASE("a dialect's kind whose discovery isn't readable for a time counts as listed") {
    for (const char* document : {R"({"versions":null})", R"({"versions":[{"version":"v1beta1"}],"resources":null})"}) {
        CAPTURE(document);
        std::atomic<bool> is_repaired = false;
        Scene scene({repaired_by(is_repaired, give(document))}, {stream({}, Then::hang)}, topologies,
                    patient(milliseconds(20)));
        CHECK(wait_for_last(scene, "synced topologies.kueue.x-k8s.io"));
        CHECK(scene.status().served);
        CHECK(scene.status().trouble.starts_with("discovery: the answer to /apis/kueue.x-k8s.io"));
        is_repaired = true;
        CHECK(wait_for_last(scene, "topology t"));
    }
}

TEST_CASE("a kind that isn't a dialect's doesn't count as listed however long its lists fail") {
    Scene scene({refuse(500)}, {refuse(500)}, nodes, patient(milliseconds(0)));
    CHECK(becomes_true([&] { return scene.targets("/nodes").size() >= 5; }));
    CHECK(scene.events.all().empty());
    CHECK_FALSE(scene.status().listed);
}

TEST_CASE("a dialect's kind that hasn't been broken for long doesn't count as listed, nor one that is throttled") {
    for (const auto& [status, broken] : {std::pair{500, milliseconds(std::chrono::hours(1))}, {429, milliseconds(0)}}) {
        CAPTURE(status);
        Scene scene({listed_by(refuse(status))}, {refuse(500)}, topologies, patient(broken));
        CHECK(becomes_true([&] { return scene.targets("/topologies").size() >= 5; }));
        CHECK(scene.events.all().empty());
    }
}

TEST_CASE("kinds that must be read before any pod is placed are never done without") {
    for (const WatchedKind& kind : watched_kinds) {
        CAPTURE(full_name(kind));
        const bool is_of_kubernetes = kind.group.empty() || kind.group == "batch" || kind.group == "policy" ||
                                      kind.group == "scheduling.k8s.io" || kind.group == "resource.k8s.io";
        // Their pods alone look like a gang, and don't say which other parts it has.
        const bool is_stated_by_pods = kind.kind == "DisaggregatedSet" || kind.kind == "Gang";
        if (is_of_kubernetes || kind.is_needed || is_stated_by_pods)
            CHECK_FALSE(may_be_broken(kind));
    }
}

TEST_CASE("GangPlans are announced again when they are served again") {
    std::atomic<bool> is_served = false;
    const Scene::Answer answer = [&](FakeApiServer& server, const httplib::Request& request,
                                     httplib::Response& response) {
        if (!is_served)
            return refuse(404)(server, request, response);
        give(request.path == "/apis/echelon.sh"            ? R"({"versions":[{"version":"v1alpha1"}]})"
             : request.path == "/apis/echelon.sh/v1alpha1" ? R"({"resources":[{"name":"gangplans"}]})"
                                                           : node_list({}, "3"))(server, request, response);
    };
    Scene scene({answer}, {stream({}, Then::hang)}, plans);
    CHECK(scene.events.wait_for_count(1));
    is_served = true;
    CHECK(scene.events.wait_for_count(2));
    CHECK(becomes_true([&] { return scene.watched_from().size() == 1; }));
    CHECK(scene.events.all() == Lines{"synced gangplans.echelon.sh", "synced gangplans.echelon.sh"});
}

}  // namespace
}  // namespace echelon::kube

#include "kube/watch/watcher.hpp"

#include "unit-tests/kube/fake_apiserver.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using Names = std::vector<std::string>;

// What has been announced as synced.
struct Announced {
    Happenings<std::string> names = {};
    Watcher::Sink sink() {
        return [this](const model::Event& event) {
            if (const auto* synced = std::get_if<model::Synced>(&event))
                names.add(synced->what);
        };
    }
};

WatchStatus status_of(const std::vector<WatchStatus>& all, const std::string& what) {
    return *std::ranges::find(all, what, &WatchStatus::what);
}

TEST_CASE("the resources are named in a fixed order, records only where they are wanted") {
    const Names all = {"nodes",
                       "pods",
                       "priorityclasses.scheduling.k8s.io",
                       "podgroups.scheduling.k8s.io",
                       "compositepodgroups.scheduling.k8s.io",
                       "workloads.scheduling.k8s.io",
                       "podgangs.scheduler.grove.io",
                       "podgroups.scheduling.run.ai",
                       "podgroups.scheduling.sigs.k8s.io",
                       "podgroups.scheduling.x-k8s.io",
                       "podgroups.scheduling.volcano.sh",
                       "jobsets.jobset.x-k8s.io",
                       "leaderworkersets.leaderworkerset.x-k8s.io",
                       "disaggregatedsets.disaggregatedset.x-k8s.io",
                       "rolebasedgroups.workloads.x-k8s.io",
                       "workloads.kueue.x-k8s.io",
                       "topologies.kueue.x-k8s.io",
                       "topologies.kai.scheduler",
                       "clustertopologybindings.grove.io",
                       "clustertopologies.grove.io",
                       "clusternetworktopologies.scheduling.koordinator.sh",
                       "hypernodes.topology.volcano.sh",
                       "noderesourcetopologies.topology.node.k8s.io",
                       "jobs.batch",
                       "deviceclasses.resource.k8s.io",
                       "resourceslices.resource.k8s.io",
                       "resourceclaims.resource.k8s.io",
                       "resourceclaimtemplates.resource.k8s.io",
                       "devicetaintrules.resource.k8s.io",
                       "gangs.echelon.sh",
                       "gangplans.echelon.sh"};
    CHECK(Watcher::resources() == all);
    CHECK(Watcher::resources({.watch_plans = false}) == Names(all.begin(), all.end() - 1));
    CHECK(Watcher::resources({.plans_alone = true}) == Names{"gangplans.echelon.sh"});
    Names with_budgets = all;
    with_budgets.insert(with_budgets.end() - 7, "poddisruptionbudgets.policy");
    CHECK(Watcher::resources({.watch_budgets = true}) == with_budgets);
}

TEST_CASE("every resource is announced once, those that aren't served too, and a forbidden one holds up no other") {
    std::atomic<FakeApiServer*> self = nullptr;
    FakeApiServer server([&](const httplib::Request& request, httplib::Response& response) {
        if (request.has_param("watch")) {
            self.load()->stream(response, {}, FakeApiServer::Then::hang);
        } else if (request.path == "/api/v1/nodes") {
            response.status = 403;
        } else if (request.path == "/api/v1/pods") {
            response.set_content(R"({"metadata":{"resourceVersion":"1"},"items":[]})", "application/json");
        } else {
            response.status = 404;
        }
    });
    self = &server;
    Announced announced;
    Happenings<std::string> log;
    Watcher watcher(server.credentials(), {}, announced.sink(), [&](const std::string& line) { log.add(line); });
    CHECK(announced.names.wait_for_count(Watcher::resources().size() - 1));
    CHECK(log.wait_for_count(1));
    CHECK(becomes_true([&] { return status_of(watcher.status(), "nodes").trouble.find("403") != std::string::npos; }));
    Names names = announced.names.all();
    std::ranges::sort(names);
    Names expected = Watcher::resources();
    std::erase(expected, "nodes");
    std::ranges::sort(expected);
    CHECK(names == expected);
    const std::vector<WatchStatus> all = watcher.status();
    CHECK_FALSE(status_of(all, "nodes").listed);
    CHECK(status_of(all, "nodes").needed);
    CHECK(status_of(all, "nodes").forbidden);
    CHECK_FALSE(status_of(all, "pods").forbidden);
    CHECK(status_of(all, "pods").listed);
    CHECK(status_of(all, "podgroups.scheduling.k8s.io").listed);
    CHECK_FALSE(status_of(all, "podgroups.scheduling.k8s.io").served);
    const auto seen = server.seen.all();
    CHECK(std::ranges::any_of(seen, [](const SeenRequest& each) {
        return each.target ==
               "/api/v1/pods?limit=500&resourceVersion=0&fieldSelector="
               "status.phase%21%3DFailed";
    }));
}

TEST_CASE("the ConfigMap of pushed topologies is watched where there is one, by its name alone") {
    std::atomic<FakeApiServer*> self = nullptr;
    FakeApiServer server([&](const httplib::Request& request, httplib::Response& response) {
        if (request.has_param("watch")) {
            self.load()->stream(response, {}, FakeApiServer::Then::hang);
        } else if (request.path == "/api/v1/namespaces/somewhere/configmaps") {
            response.set_content(
                R"({"metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"kept","namespace":"somewhere",
                    "uid":"u","resourceVersion":"1"},"data":{"a":"b"}}]})",
                "application/json");
        } else {
            response.status = 404;
        }
    });
    self = &server;
    Happenings<std::string> read;
    WatcherOptions options;
    options.store = WatchedStore{
        .place = {.ns = "somewhere", .name = "kept"}, .read = [&](const nlohmann::json& object, Change change) {
            read.add(object["data"]["a"].get<std::string>() + (change == Change::seen ? " seen" : " gone"));
            return std::vector<model::Event>{model::TopologyGone{model::TopologySource::object, "", "a"}};
        }};
    CHECK(Watcher::resources(options).back() == "configmaps");
    CHECK(Watcher::resources().size() + 1 == Watcher::resources(options).size());
    Happenings<std::string> gone;
    const Watcher watcher(server.credentials(), options,
                          [&](const model::Event& event) {
                              if (const auto* topology = std::get_if<model::TopologyGone>(&event))
                                  gone.add(topology->name);
                          },
                          {});
    CHECK(read.wait_for_count(1));
    CHECK(read.all()[0] == "b seen");
    CHECK(gone.wait_for_count(1));
    const auto seen = server.seen.all();
    CHECK(std::ranges::any_of(seen, [](const SeenRequest& each) {
        return each.target ==
               "/api/v1/namespaces/somewhere/configmaps?limit=500&resourceVersion=0&fieldSelector=metadata.name%3Dkept";
    }));
}

TEST_CASE("a watcher on a server that says nothing ends with its scope") {
    std::atomic<FakeApiServer*> self = nullptr;
    FakeApiServer server([&](const httplib::Request&, httplib::Response&) { self.load()->hang(); });
    self = &server;
    Announced announced;
    {
        const Watcher watcher(server.credentials(),
                              {.pace = {.watch_silence = std::chrono::hours(1), .list_silence = std::chrono::hours(1)}},
                              announced.sink(), {});
        CHECK(server.seen.wait_for_count(7));
    }
    CHECK(announced.names.all().empty());
}

}  // namespace
}  // namespace echelon::kube

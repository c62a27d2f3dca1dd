#pragma once

// How does a test run a ReflectorThread? On an API server with scripted answers, which records requests. The events are
// recorded, too.

#include "kube/watch/reflector_thread.hpp"
#include "unit-tests/kube/fake_apiserver.hpp"
#include "unit-tests/kube/test_files.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

namespace echelon::kube::scene {

using nlohmann::json;
using std::chrono::milliseconds;
using Then = FakeApiServer::Then;
using Lines = std::vector<std::string>;

inline constexpr WatchedKind nodes{
    .resource = "nodes", .group = "", .versions = {"v1"}, .kind = "Node", .is_needed = true};
inline constexpr WatchedKind pods{
    .resource = "pods", .group = "", .versions = {"v1"}, .kind = "Pod", .is_needed = true};
inline constexpr WatchedKind topologies{
    .resource = "topologies", .group = "kueue.x-k8s.io", .versions = {"v1beta2", "v1beta1"}, .kind = "Topology"};

inline constexpr WatchedKind gangs{
    .resource = "gangs", .group = "echelon.sh", .versions = {"v1alpha1"}, .kind = "Gang"};
inline constexpr WatchedKind plans{.resource = "gangplans",
                                   .group = "echelon.sh",
                                   .versions = {"v1alpha1"},
                                   .kind = "GangPlan",
                                   .is_record = true,
                                   .is_needed = true};

// Like production, but with short pauses, so that tests are fast.
inline constexpr WatchPace hurried{.watch_silence = std::chrono::hours(1),
                                   .list_silence = std::chrono::hours(1),
                                   .backoff_first = milliseconds(1),
                                   .backoff_limit = milliseconds(2),
                                   .backoff_quiet = std::chrono::hours(1),
                                   .shortest_watch = milliseconds(0),
                                   .breath = milliseconds(0),
                                   .rediscovery = milliseconds(5),
                                   .first_discovery = milliseconds(1)};

inline std::string node(const std::string& name, const std::string& uid, const std::string& version) {
    return json{{"metadata", {{"name", name}, {"uid", uid}, {"resourceVersion", version}}},
                {"status", {{"allocatable", {{"cpu", "4"}}}}}}
        .dump();
}
inline std::string event(const std::string& type, const std::string& object) {
    return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}
inline std::string node_list(const Lines& items, const std::string& version, const std::string& more = "") {
    std::string text = R"({"kind":"NodeList","apiVersion":"v1","metadata":)" +
                       json{{"resourceVersion", version}, {"continue", more}}.dump() + R"(,"items":[)";
    for (std::size_t i = 0; i < items.size(); ++i)
        text += (i == 0 ? "" : ",") + items[i];
    return text + "]}";
}

struct EventNamer {
    std::string operator()(const model::NodeSeen& it) const { return "seen " + it.node.name + " " + it.node.uid; }
    std::string operator()(const model::PodSeen& it) const {
        return "pod " + it.pod.name + " of " + (it.pod.membership ? it.pod.membership->leaf.kind : "no group");
    }
    std::string operator()(const model::NodeGone& it) const { return "gone " + it.name; }
    std::string operator()(const model::TopologySeen& it) const { return "topology " + it.topology.name; }
    std::string operator()(const model::DomainSeen& it) const { return "domain " + it.domain.name; }
    std::string operator()(const model::DomainGone& it) const { return "domain gone " + it.name; }
    std::string operator()(const model::TopologyGone& it) const { return "topology gone " + it.name; }
    std::string operator()(const model::GroupSetSeen& it) const {
        return "set " + it.set.owner.name + (it.set.groups.front().problem.empty() ? "" : " with a problem");
    }
    std::string operator()(const model::GroupSetGone& it) const { return "set gone " + it.owner.name; }
    std::string operator()(const model::Synced& it) const { return "synced " + it.what; }
    std::string operator()(const auto&) const { return "other"; }
};
inline std::string line_of(const model::Event& event) {
    return std::visit(EventNamer{}, event);
}

// One resource followed on a scripted server: the n-th list and the n-th watch get the n-th answer, the last one for
// ever.
class Scene {
public:
    using Answer = std::function<void(FakeApiServer&, const httplib::Request&, httplib::Response&)>;

    Scene(std::vector<Answer> lists, std::vector<Answer> watches, const WatchedKind& kind = nodes,
          WatchPace pace = hurried, const std::string& token_file = "")
        : lists_(std::move(lists)),
          watches_(std::move(watches)),
          server_([this](const httplib::Request& request, httplib::Response& response) { serve(request, response); }),
          reflector_(
              kind, server_.credentials("", token_file), pace,
              [this](const model::Event& event) { events.add(line_of(event)); },
              [this](const std::string& sentence) { log.add(sentence); }, served_),
          thread_([this](const std::stop_token& stop) { reflector_.run(stop); }) {}
    ~Scene() {
        thread_.request_stop();
        reflector_.cancel();
        thread_.join();
    }
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    [[nodiscard]] WatchStatus status() const { return reflector_.status(); }
    [[nodiscard]] Lines targets(const std::string& part) const {
        Lines found;
        for (const SeenRequest& each : server_.seen.all()) {
            if (each.target.find(part) != std::string::npos)
                found.push_back(each.target);
        }
        return found;
    }
    // The versions that watches were started from.
    [[nodiscard]] Lines watched_from() const {
        Lines versions;
        for (const std::string& target : targets("watch=true"))
            versions.push_back(target.substr(target.rfind('=') + 1));
        return versions;
    }
    [[nodiscard]] Lines listed_with() const {
        Lines queries;
        for (const SeenRequest& each : server_.seen.all()) {
            const auto mark = each.target.find('?');
            if (each.target.find("watch=true") == std::string::npos)
                queries.push_back(mark == std::string::npos ? "" : each.target.substr(mark));
        }
        return queries;
    }

    // Reports that a kind is served or not, as the thread of that kind would.
    void tell(std::string_view resource, std::string_view group, bool is_served) {
        for (const WatchedKind& kind : watched_kinds) {
            if (kind.resource == resource && kind.group == group)
                served_.report(kind, is_served);
        }
    }

    Happenings<std::string> events;
    Happenings<std::string> log;

private:
    void serve(const httplib::Request& request, httplib::Response& response) {
        const bool is_watch = request.has_param("watch");
        std::vector<Answer>& script = is_watch ? watches_ : lists_;
        std::atomic<std::size_t>& turn = is_watch ? watch_turn_ : list_turn_;
        const std::size_t index = std::min(turn++, script.size() - 1);
        script[index](server_, request, response);
    }

    ServedKinds served_{[this] { reflector_.recheck_served_kinds(); }};
    std::vector<Answer> lists_;
    std::vector<Answer> watches_;
    std::atomic<std::size_t> list_turn_{0};
    std::atomic<std::size_t> watch_turn_{0};
    FakeApiServer server_;
    ReflectorThread reflector_;
    std::jthread thread_;
};

inline Scene::Answer give(const std::string& body) {
    return [body](FakeApiServer&, const httplib::Request&, httplib::Response& response) {
        response.set_content(body, "application/json");
    };
}
inline Scene::Answer refuse(int status, const std::string& retry_after = "") {
    return [=](FakeApiServer&, const httplib::Request&, httplib::Response& response) {
        response.status = status;
        if (!retry_after.empty())
            response.set_header("Retry-After", retry_after);
        response.set_content(R"({"kind":"Status","message":"as scripted"})", "application/json");
    };
}
inline Scene::Answer stream(const Lines& pieces, Then then) {
    return [=](FakeApiServer& server, const httplib::Request&, httplib::Response& response) {
        server.stream(response, pieces, then);
    };
}

inline bool wait_for_last(const Scene& scene, const std::string& line) {
    return scene.events.wait([&](const Lines& lines) { return !lines.empty() && lines.back() == line; });
}

}  // namespace echelon::kube::scene

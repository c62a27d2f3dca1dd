#include "kube/follower.hpp"

#include "unit-tests/kube/fake_apiserver.hpp"
#include "unit-tests/kube/test_files.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using Then = FakeApiServer::Then;
using Lines = std::vector<std::string>;

constexpr WatchedKind nodes{.resource = "nodes", .group = "", .versions = {"v1"}, .kind = "Node", .is_needed = true};
constexpr WatchedKind pods{.resource = "pods", .group = "", .versions = {"v1"}, .kind = "Pod", .is_needed = true};
constexpr WatchedKind topologies{
    .resource = "topologies", .group = "kueue.x-k8s.io", .versions = {"v1beta2", "v1beta1"}, .kind = "Topology"};

// As patient as production where it must not matter, in a hurry where it would only cost time.
constexpr WatchPace hurried{.watch_silence = std::chrono::hours(1),
                            .list_silence = std::chrono::hours(1),
                            .backoff_first = milliseconds(1),
                            .backoff_limit = milliseconds(2),
                            .backoff_quiet = std::chrono::hours(1),
                            .shortest_watch = milliseconds(0),
                            .breath = milliseconds(0),
                            .rediscovery = milliseconds(5),
                            .first_look = milliseconds(1)};

std::string node(const std::string& name, const std::string& uid, const std::string& version) {
    return json{{"metadata", {{"name", name}, {"uid", uid}, {"resourceVersion", version}}},
                {"status", {{"allocatable", {{"cpu", "4"}}}}}}
        .dump();
}
std::string event(const std::string& type, const std::string& object) {
    return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}
std::string node_list(const Lines& items, const std::string& version, const std::string& more = "") {
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
    std::string operator()(const model::Synced& it) const { return "synced " + it.what; }
    std::string operator()(const auto&) const { return "other"; }
};
std::string line_of(const model::Event& event) {
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
          follower_(
              kind, server_.credentials("", token_file), pace,
              [this](const model::Event& event) { events.add(line_of(event)); },
              [this](const std::string& sentence) { log.add(sentence); }, served),
          thread_([this](const std::stop_token& stop) { follower_.run(stop); }) {}
    ~Scene() {
        thread_.request_stop();
        follower_.cancel();
        thread_.join();
    }
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    [[nodiscard]] WatchStatus status() const { return follower_.status(); }
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

    // That a kind is served, or isn't, as its own follower tells it.
    void tell(std::string_view resource, std::string_view group, bool is_served) {
        for (const WatchedKind& kind : watched_kinds) {
            if (kind.resource == resource && kind.group == group)
                served.tell(kind, is_served);
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

    ServedKinds served{[this] { follower_.look_again(); }};
    std::vector<Answer> lists_;
    std::vector<Answer> watches_;
    std::atomic<std::size_t> list_turn_{0};
    std::atomic<std::size_t> watch_turn_{0};
    FakeApiServer server_;
    Follower follower_;
    std::jthread thread_;
};

Scene::Answer give(const std::string& body) {
    return [body](FakeApiServer&, const httplib::Request&, httplib::Response& response) {
        response.set_content(body, "application/json");
    };
}
Scene::Answer refuse(int status, const std::string& retry_after = "") {
    return [=](FakeApiServer&, const httplib::Request&, httplib::Response& response) {
        response.status = status;
        if (!retry_after.empty())
            response.set_header("Retry-After", retry_after);
        response.set_content(R"({"kind":"Status","message":"as scripted"})", "application/json");
    };
}
Scene::Answer stream(const Lines& pieces, Then then) {
    return [=](FakeApiServer& server, const httplib::Request&, httplib::Response& response) {
        server.stream(response, pieces, then);
    };
}

bool wait_for_last(const Scene& scene, const std::string& line) {
    return scene.events.wait([&](const Lines& lines) { return !lines.empty() && lines.back() == line; });
}

TEST_CASE("a resource is listed, announced as synced and then watched") {
    Scene scene({give(node_list({node("a", "1", "3"), node("b", "2", "4")}, "7"))},
                {stream({event("ADDED", node("c", "3", "8")), event("DELETED", node("a", "1", "9"))}, Then::hang)});
    CHECK(wait_for_last(scene, "gone a"));
    CHECK(scene.events.all() == Lines{"seen a 1", "seen b 2", "synced nodes", "seen c 3", "gone a"});
    CHECK(scene.listed_with() == Lines{"?limit=500&resourceVersion=0"});
    CHECK(scene.watched_from() == Lines{"7"});
    CHECK(becomes_true([&] { return scene.status().deleted == 1; }));
    const WatchStatus status = scene.status();
    CHECK(status.what == "nodes");
    CHECK(status.listed);
    CHECK(status.trouble.empty());
    CHECK(status.added == 1);
    CHECK(status.objects == 2);
}

TEST_CASE("expiry is answered with a list, and what that doesn't have is gone") {
    const Scene::Answer second = give(node_list({node("b", "2", "4"), node("c", "3", "20")}, "30"));
    const Scene::Answer first = give(node_list({node("a", "1", "3"), node("b", "2", "4")}, "7"));
    const std::vector<Scene::Answer> expiries = {
        refuse(410), stream({event("ADDED", node("x", "9", "8")), event("ERROR", R"({"code":410,"reason":"Expired"})")},
                            Then::hang)};
    for (const Scene::Answer& expiry : expiries) {
        Scene scene({first, second}, {expiry, stream({event("BOOKMARK", node("", "", "40"))}, Then::hang)});
        CHECK(scene.events.wait([](const Lines& lines) { return std::ranges::count(lines, "gone a") == 1; }));
        CHECK(scene.listed_with() == Lines{"?limit=500&resourceVersion=0", "?limit=500"});
        CHECK(scene.status().restarts_expired == 1);
        const Lines lines = scene.events.all();
        CHECK(std::ranges::count(lines, "synced nodes") == 1);
        CHECK(std::ranges::count(lines, "seen b 2") == 1);
    }
}

TEST_CASE("a connection that breaks inside a line loses that line only, and is taken up before it") {
    const std::string cut = event("ADDED", node("half", "9", "9"));
    Scene scene({give(node_list({}, "7"))},
                {stream({event("ADDED", node("a", "1", "8")), cut.substr(0, cut.size() / 2)}, Then::reset),
                 stream({event("ADDED", node("b", "2", "9"))}, Then::hang)});
    CHECK(wait_for_last(scene, "seen b 2"));
    CHECK(scene.events.all() == Lines{"synced nodes", "seen a 1", "seen b 2"});
    CHECK(scene.watched_from() == Lines{"7", "8"});
    CHECK(scene.status().restarts_error == 1);
}

TEST_CASE("a server that falls silent is noticed and the watch taken up again") {
    WatchPace pace = hurried;
    pace.watch_silence = milliseconds(100);
    Scene scene({give(node_list({}, "7"))},
                {stream({event("ADDED", node("a", "1", "8"))}, Then::hang),
                 stream({event("ADDED", node("b", "2", "9"))}, Then::hang)},
                nodes, pace);
    CHECK(wait_for_last(scene, "seen b 2"));
    CHECK(scene.status().restarts_stall >= 1);
    CHECK(scene.watched_from().at(1) == "8");
}

TEST_CASE("refusals are waited out, and lists and watches go on where they were") {
    Scene scene({refuse(503), refuse(429, "0"), refuse(403), give("not json"), give(R"({"items":[]})"),
                 stream({R"({"items":[)" + node("ghost", "0", "1") + ","}, Then::reset),
                 give(node_list({node("a", "1", "3")}, "7"))},
                {refuse(429, "0"), refuse(500), stream({event("ADDED", node("b", "2", "9"))}, Then::hang)});
    CHECK(wait_for_last(scene, "seen b 2"));
    CHECK(scene.events.all() == Lines{"seen ghost 0", "seen a 1", "gone ghost", "synced nodes", "seen b 2"});
    CHECK(scene.watched_from() == Lines{"7", "7", "7"});
    CHECK(scene.status().restarts_error == 2);
}

TEST_CASE("forbidden is told in the status and counts as not listed") {
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
        if (request.path == "/apis/kueue.x-k8s.io")
            body = R"({"versions":[{"version":"v1beta1"}]})";
        else if (request.path == "/apis/kueue.x-k8s.io/v1beta1")
            body = R"({"resources":[{"name":"topologies"}]})";
        else if (request.path != "/apis/kueue.x-k8s.io/v1beta1/topologies")
            body = "";
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
        if (request.path.ends_with("/topologies") && !allowed)
            refuse(403)(server, request, response);
        else
            found(server, request, response);
    };
    Scene scene({list}, {stream({}, Then::hang)}, topologies);
    CHECK(wait_for_last(scene, "synced topologies.kueue.x-k8s.io"));
    CHECK(scene.status().listed);
    CHECK(scene.status().trouble == "the list of topologies.kueue.x-k8s.io was answered with 403: as scripted");
    allowed = true;
    CHECK(wait_for_last(scene, "topology t"));
    CHECK(becomes_true([&] { return scene.status().trouble.empty(); }));
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

TEST_CASE("a page token that expired falls back to a whole list") {
    Scene scene(
        {give(node_list({node("a", "1", "3")}, "7", "more")), refuse(410), give(node_list({node("b", "2", "4")}, "9"))},
        {stream({event("BOOKMARK", node("", "", "10"))}, Then::hang)});
    CHECK(wait_for_last(scene, "synced nodes"));
    CHECK(scene.listed_with() == Lines{"?limit=500&resourceVersion=0", "?limit=500&continue=more", ""});
    CHECK(scene.events.all() == Lines{"seen a 1", "seen b 2", "gone a", "synced nodes"});
}

TEST_CASE("pages, duplicates, unknown types and recreated names come out as one plain story") {
    Scene scene({give(node_list({node("a", "1", "3")}, "7", "more")), give(node_list({node("b", "2", "4")}, "7"))},
                {stream({event("ADDED", node("a", "1", "3")), event("WOBBLED", node("z", "8", "8")),
                         event("MODIFIED", node("b", "2", "5")), event("MODIFIED", node("b", "2", "5")),
                         event("DELETED", node("never", "7", "6")), event("ADDED", node("a", "new", "9"))},
                        Then::hang)});
    CHECK(wait_for_last(scene, "seen a new"));
    CHECK(scene.events.all() == Lines{"seen a 1", "seen b 2", "synced nodes", "seen b 2", "gone a", "seen a new"});
    CHECK(scene.log.all() == Lines{"nodes: the watch sent an event of unknown type \"WOBBLED\""});
}

TEST_CASE("bookmarks alone move the version on") {
    Scene scene({give(node_list({}, "7"))},
                {stream({event("BOOKMARK", node("", "", "50")), event("BOOKMARK", node("", "", "60"))}, Then::close),
                 stream({event("ADDED", node("a", "1", "61"))}, Then::hang)});
    CHECK(wait_for_last(scene, "seen a 1"));
    CHECK(scene.watched_from() == Lines{"7", "60"});
    CHECK(scene.status().bookmarks == 2);
    CHECK(scene.status().restarts_eof == 1);
}

TEST_CASE("an expired token is read again in the middle of a watch") {
    const TestFolder folder;
    const std::string file = folder.write("token", "first");
    std::atomic<bool> rotated = false;
    const Scene::Answer only_new = [&](FakeApiServer& server, const httplib::Request& request,
                                       httplib::Response& response) {
        if (!rotated.exchange(true))
            folder.write("token", "second");
        if (request.get_header_value("Authorization") == "Bearer second")
            server.stream(response, {event("ADDED", node("a", "1", "8"))}, Then::hang);
        else
            response.status = 401;
    };
    Scene scene({give(node_list({}, "7"))}, {only_new}, nodes, hurried, file);
    CHECK(wait_for_last(scene, "seen a 1"));
    CHECK(scene.watched_from() == Lines{"7", "7"});
    CHECK(scene.status().restarts_error == 0);
}

TEST_CASE("an object that can't be decoded is named once per version, and the others go on") {
    const std::string odd =
        R"({"metadata":{"name":"odd","uid":"0","resourceVersion":"2"},"status":{"allocatable":[]}})";
    Scene scene({give(node_list({odd, node("a", "1", "3")}, "7"))},
                {stream({event("MODIFIED", odd), event("ADDED", node("b", "2", "8"))}, Then::hang)});
    CHECK(wait_for_last(scene, "seen b 2"));
    CHECK(scene.events.all() == Lines{"seen a 1", "synced nodes", "seen b 2"});
    REQUIRE(scene.log.all().size() == 1);
    CHECK(scene.log.all().front().find("odd") != std::string::npos);
    CHECK(scene.log.all().front().find("status.allocatable") != std::string::npos);
}

TEST_CASE("large objects pass, in lists and in events") {
    json large = json::parse(node("large", "1", "8"));
    large["metadata"]["annotations"]["x"] = std::string(std::size_t{3} << 20, 'x');
    Scene scene({give(node_list({large.dump()}, "7"))}, {stream({event("DELETED", large.dump())}, Then::hang)});
    CHECK(wait_for_last(scene, "gone large"));
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
TEST_CASE("a follower stops in every state") {
    const Scene::Answer hang = [](FakeApiServer& server, const httplib::Request&, httplib::Response&) {
        server.hang();
    };
    WatchPace slow = hurried;
    slow.backoff_first = slow.backoff_limit = slow.rediscovery = std::chrono::hours(1);
    SUBCASE("listing") {
        const Scene scene({hang}, {hang}, nodes, slow);
        CHECK(becomes_true([&] { return scene.targets("/api/v1/nodes").size() == 1; }));
    }
    SUBCASE("discovering") {
        const Scene scene({hang}, {hang}, topologies, slow);
        CHECK(becomes_true([&] { return scene.targets("/apis/kueue.x-k8s.io").size() == 1; }));
    }
    SUBCASE("watching") {
        const Scene scene({give(node_list({}, "7"))}, {hang}, nodes, slow);
        CHECK(becomes_true([&] { return scene.targets("watch=true").size() == 1; }));
    }
    SUBCASE("backing off") {
        const Scene scene({refuse(500)}, {hang}, nodes, slow);
        CHECK(scene.log.wait_for_count(1));
    }
    SUBCASE("waiting for a kind to be served") {
        const Scene scene({refuse(404)}, {hang}, topologies, slow);
        CHECK(wait_for_last(scene, "synced topologies.kueue.x-k8s.io"));
    }
}

}  // namespace
}  // namespace echelon::kube

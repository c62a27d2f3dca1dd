#include "unit-tests/kube/reflector_scene.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using namespace scene;

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
    CHECK(scene.log.all() == Lines{"nodes: an event of the watch has the unknown type \"WOBBLED\""});
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
        if (request.get_header_value("Authorization") == "Bearer second") {
            server.stream(response, {event("ADDED", node("a", "1", "8"))}, Then::hang);
        } else {
            response.status = 401;
        }
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
    CHECK(fmt::format("{}", fmt::join(scene.events.all(), ", ")) == "seen odd 0, seen a 1, synced nodes, seen b 2");
    REQUIRE(scene.log.all().size() == 1);
    CHECK(scene.log.all().front().find("odd") != std::string::npos);
    CHECK(scene.log.all().front().find("status.allocatable") != std::string::npos);
    CHECK(becomes_true([&] { return scene.status().unreadable_objects.size() == 1; }));
    CHECK(scene.status().unreadable_objects.front().name == "odd");
    CHECK(scene.status().unreadable_objects.front().sentence == scene.log.all().front());
    CHECK(scene.status().unreadable == 1);
}

TEST_CASE("lines that can't be read end no watch, are listed by name, and leave the list when they can be read (BD7)") {
    const std::string head =
        R"({"type":"ADDED","object":{"metadata":{"name":"bad","uid":"9","resourceVersion":"8"},"x":)";
    const std::string huge = head + "\"" + std::string(std::size_t{5} << 20, 'x') + "\"}}\n";
    for (const std::string& line : {head + "\xff}}\n", huge}) {
        Scene scene({give(node_list({node("a", "1", "3")}, "7"))},
                    {stream({"rubbish\n", line, event("ADDED", node("b", "2", "9"))}, Then::close),
                     stream({event("MODIFIED", node("bad", "9", "10"))}, Then::hang)});
        CHECK(wait_for_last(scene, "seen bad 9"));
        CHECK(scene.events.all() == Lines{"seen a 1", "synced nodes", "seen b 2", "seen bad 9"});
        CHECK(scene.watched_from() == Lines{"7", "9"});
        CHECK(scene.listed_with().size() == 1);
        CHECK(becomes_true([&] { return scene.status().unreadable_objects.size() == 1; }));
        const WatchStatus status = scene.status();
        CHECK(status.unreadable_objects.front().sentence == "nodes: a line of the watch isn't a JSON object");
        CHECK(status.unreadable == 2);
        CHECK(status.restarts_error == 0);
        REQUIRE(scene.log.all().size() == 2);
        CHECK(scene.log.all().back().starts_with("Node bad: a line of the watch is"));
    }
}

TEST_CASE("a gang that can't be read is there with a problem, and goes when it is deleted (BD7)") {
    const std::string odd =
        R"({"metadata":{"name":"g","namespace":"t","uid":"1","resourceVersion":"2"},"spec":{"minimum":[]}})";
    Scene scene({give(R"({"versions":[{"version":"v1alpha1"}]})"), give(R"({"resources":[{"name":"gangs"}]})"),
                 give(node_list({odd}, "7"))},
                {stream({event("DELETED", odd)}, Then::hang)}, gangs);
    CHECK(wait_for_last(scene, "set gone t/g"));
    CHECK(scene.events.all() == Lines{"set t/g with a problem", "synced gangs.echelon.sh", "set gone t/g"});
    CHECK(becomes_true([&] { return scene.status().unreadable_objects.empty(); }));
}

TEST_CASE("large objects pass, in lists and in events") {
    json large = json::parse(node("large", "1", "8"));
    large["metadata"]["annotations"]["x"] = std::string(std::size_t{3} << 20, 'x');
    Scene scene({give(node_list({large.dump()}, "7"))}, {stream({event("DELETED", large.dump())}, Then::hang)});
    CHECK(wait_for_last(scene, "gone large"));
}

TEST_CASE("a reflector thread stops in every state") {
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

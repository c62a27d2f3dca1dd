#include "kube/watch/list_watch_state.hpp"

#include "unit-tests/kube/watch/list_watch_bench.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::kube {
namespace {

using namespace bench;  // NOLINT(google-build-using-namespace)
using std::chrono::milliseconds;

TEST_CASE("the first list comes from the cache and the watch starts from the list's version, not an item's") {
    Bench bench;
    check_list(bench, "?limit=500&resourceVersion=0");
    bench.list({thing("a", "1", "900"), thing("b", "2", "901")}, "77");
    CHECK(bench.delivered == Lines{"seen a", "seen b"});
    CHECK(bench.state.figures().listed);
    check_watch(bench, "77");
}

TEST_CASE("every event moves the version on, bookmarks included, and a watch that ends resumes there") {
    Bench bench;
    bench.list({}, "1");
    CHECK(bench.watch({event("ADDED", thing("a", "1", "5"))}, ok()));
    check_watch(bench, "5");
    CHECK(bench.watch({event("BOOKMARK", R"({"metadata":{"resourceVersion":"9/x"}})")}, ok()));
    check_watch(bench, "9%2Fx");
    CHECK(bench.delivered == Lines{"seen a"});
    CHECK(bench.state.figures().bookmarks == 1);
    CHECK(bench.state.figures().restarts_eof == 2);
    CHECK(bench.state.figures().trouble.empty());
}

TEST_CASE("additions, changes and deletions are delivered, and duplicates are not") {
    Bench bench;
    bench.list({thing("a", "1", "1")}, "1");
    bench.watch({event("ADDED", thing("a", "1", "1")), event("MODIFIED", thing("a", "1", "2")),
                 event("MODIFIED", thing("a", "1", "2")), event("DELETED", thing("a", "1", "3")),
                 event("DELETED", thing("a", "1", "3")), event("DELETED", thing("ghost", "9", "4"))},
                ok());
    CHECK(bench.delivered == Lines{"seen a", "seen a", "gone a"});
    check_watch(bench, "4");
}

TEST_CASE("a page is followed by the next, and only the last one completes the list") {
    Bench bench;
    bench.list({thing("old", "0", "1")}, "1");
    bench.watch({}, refused(410));
    check_list(bench, "?limit=500");
    bench.list({thing("a", "1", "1")}, "10", "t o+k");
    CHECK(bench.delivered == Lines{"seen old", "seen a"});
    check_list(bench, "?limit=500&continue=t%20o%2Bk");
    bench.list({thing("b", "2", "1")}, "10");
    CHECK(bench.delivered == Lines{"seen old", "seen a", "seen b", "gone old"});
    check_watch(bench, "10");
}

TEST_CASE("a page token that expired means one whole list without pages") {
    Bench bench;
    bench.list({thing("a", "1", "1")}, "10", "token");
    bench.list_fails(refused(410));
    CHECK_FALSE(bench.is_waiting());
    check_list(bench, "");
    bench.list({thing("b", "2", "1")}, "11");
    CHECK(bench.delivered == Lines{"seen a", "seen b", "gone a"});
    check_watch(bench, "11");
}

TEST_CASE("a page that is refused for a while, or lost, is asked for again, and the pages before it aren't (L2)") {
    Bench bench;
    bench.list({thing("a", "1", "1")}, "10", "token");
    HttpAnswer leaving = refused(503);
    leaving.retry_after = seconds(1);
    for (const HttpAnswer& answer : {refused(429), leaving, cut(Ending::broken), cut(Ending::silent)}) {
        bench.list_fails(answer);
        CHECK(bench.is_waiting());
        check_list(bench, "?limit=500&continue=token");
    }
    bench.list({}, "10", "next");
    bench.list_fails(refused(429));
    CHECK(bench.state.next(bench.now).wait == WatchPace{}.backoff_first / 2);
    check_list(bench, "?limit=500&continue=next");
    bench.list({thing("b", "2", "1")}, "10");
    CHECK(bench.delivered == Lines{"seen a", "seen b"});
    check_watch(bench, "10");
}

TEST_CASE("after any other refusal of a page the list starts over (L2)") {
    Bench bench;
    bench.list({thing("a", "1", "1")}, "10", "token");
    bench.list_fails(refused(500));
    CHECK(bench.is_waiting());
    check_list(bench, "?limit=500&resourceVersion=0");
}

TEST_CASE("a whole list that fails is asked for in pages again (L2)") {
    Bench bench;
    bench.list({thing("a", "1", "1")}, "10", "token");
    bench.list_fails(refused(410));
    check_list(bench, "");
    bench.list_fails(cut(Ending::broken));
    CHECK(bench.is_waiting());
    check_list(bench, "?limit=500");
}

TEST_CASE("expiry, as a status or as an event, means a list of the newest at once") {
    Bench bench;
    bench.list({thing("a", "1", "1"), thing("b", "2", "1")}, "10");
    SUBCASE("status 410") {
        bench.watch({}, refused(410));
    }
    SUBCASE("ERROR event of code 410") {
        CHECK_FALSE(bench.watch({event("ERROR", R"({"kind":"Status","code":410,"reason":"Expired"})")}, ok()));
    }
    SUBCASE("ERROR event of reason Expired") {
        CHECK_FALSE(bench.watch({event("ERROR", R"({"kind":"Status","reason":"Expired"})")}, ok()));
    }
    SUBCASE("the version is too large") {
        const std::string status =
            R"({"code":504,"reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}})";
        bench.watch({}, refused(504, status));
    }
    CHECK(bench.state.figures().restarts_expired == 1);
    CHECK_FALSE(bench.is_waiting());
    check_list(bench, "?limit=500");
    bench.list({thing("b", "2", "1"), thing("c", "3", "1")}, "20");
    CHECK(bench.delivered == Lines{"seen a", "seen b", "seen c", "gone a"});
    CHECK(bench.state.figures().trouble.empty());
}

TEST_CASE("a server that expires every watch at once isn't asked for list after list without a pause") {
    Bench bench;
    bench.list({}, "10");
    bench.watch({}, refused(410), seconds(0));
    CHECK_FALSE(bench.is_waiting());  // It may be the first watch after an outage.
    bench.list({}, "20");
    bench.watch({}, refused(410), seconds(0));
    CHECK(bench.is_waiting());
    check_list(bench, "?limit=500");
}

TEST_CASE("the first expiry after an outage means a list at once, after each outage") {
    Bench bench;
    for (const std::string version : {"10", "20"}) {
        bench.list({}, version);
        SUBCASE("the watch lasts") {
            bench.watch({}, ok(), seconds(60));
        }
        SUBCASE("it brings an event") {
            bench.watch({event("ADDED", thing("a", "1", version + "1"))}, ok(), seconds(0));
        }
        for (int i = 0; i < 6; ++i) {
            static_cast<void>(bench.step());
            bench.watch({}, cut(Ending::unreachable), seconds(0));
        }
        static_cast<void>(bench.step());
        bench.watch({}, refused(410), seconds(0));
        CHECK_FALSE(bench.is_waiting());
        check_list(bench, "?limit=500");
    }
}

TEST_CASE("a list that asks for too much falls back to the newest once, then backs off") {
    Bench bench;
    bench.list({}, "10");
    for (int i = 0; i < 5; ++i) {
        static_cast<void>(bench.step());
        bench.watch({}, refused(500));
    }
    check_list(bench, "?resourceVersion=10");
    bench.list_fails(refused(410));
    CHECK_FALSE(bench.is_waiting());
    check_list(bench, "?limit=500");
    bench.list_fails(refused(410));
    CHECK(bench.is_waiting());
    check_list(bench, "?limit=500");
}

TEST_CASE("lost connections and refusals keep the version and back off, longer each time") {
    Bench bench;
    bench.list({}, "10");
    std::vector<milliseconds> waits;
    for (const HttpAnswer& answer : {cut(Ending::unreachable), refused(429), cut(Ending::broken)}) {
        bench.watch({}, answer, seconds(0));
        CHECK_FALSE(bench.state.figures().trouble.empty());
        waits.push_back(bench.state.next(bench.now).wait);
        check_watch(bench, "10");
    }
    CHECK(waits == std::vector<milliseconds>{milliseconds(400), milliseconds(800), milliseconds(1600)});
    CHECK(bench.state.figures().restarts_error == 3);
}

TEST_CASE("Retry-After is waited for, from a header and from an event") {
    Bench bench;
    bench.list({}, "10");
    HttpAnswer busy = refused(429);
    auto wanted = seconds(17);
    SUBCASE("status") {
        busy.retry_after = seconds(17);
        bench.watch({}, busy);
    }
    SUBCASE("an event that asks for too much") {
        wanted = seconds(60);
        bench.watch({event("ERROR", R"({"code":429,"details":{"retryAfterSeconds":3600}})")}, ok(), seconds(0));
    }
    SUBCASE("event") {
        bench.watch({event("ERROR", R"({"code":429,"details":{"retryAfterSeconds":17}})")}, ok(), seconds(0));
    }
    CHECK(bench.state.next(bench.now).wait == wanted);
    check_watch(bench, "10");
}

TEST_CASE("a watch that ends within a second without an event is a failure, with an event it isn't") {
    Bench bench;
    bench.list({}, "10");
    bench.watch({}, ok(), seconds(0));
    CHECK_FALSE(bench.state.figures().trouble.empty());
    CHECK(bench.is_waiting());
    check_watch(bench, "10");
    bench.watch({event("ADDED", thing("a", "1", "11"))}, ok(), seconds(0));
    CHECK(bench.state.figures().trouble.empty());
    CHECK(bench.state.next(bench.now).wait == WatchPace{}.breath);
    check_watch(bench, "11");
}

TEST_CASE("a watch that fell silent is taken up where it was") {
    Bench bench;
    bench.list({}, "10");
    bench.watch({event("ADDED", thing("a", "1", "11"))}, cut(Ending::silent));
    CHECK(bench.state.figures().restarts_stall == 1);
    CHECK_FALSE(bench.is_waiting());
    check_watch(bench, "11");
    bench.state.watch_opened(bench.now);
    CHECK(bench.state.figures().trouble.empty());
}

TEST_CASE(
    "every second watch that says nothing is followed by a list, since the version may be from another etcd (L6)") {
    Bench bench;
    bench.list({thing("gone", "1", "9")}, "467");
    bench.watch({}, cut(Ending::silent), seconds(90));
    check_watch(bench, "467");
    bench.watch({}, cut(Ending::silent), seconds(90));
    check_list(bench, "?resourceVersion=467");
    bench.list_fails(refused(504, R"({"details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}})"));
    check_list(bench, "?limit=500");
    bench.list({}, "230");
    CHECK(bench.state.objects() == 0);
    check_watch(bench, "230");
}

TEST_CASE("a watch that is cut off after a while is taken up at once, as often as it happens (L6)") {
    Bench bench;
    bench.list({}, "10");
    for (int i = 0; i < 20; ++i) {
        bench.watch({}, cut(Ending::broken), seconds(60));
        CHECK(bench.state.next(bench.now).wait <= WatchPace{}.breath);
        check_watch(bench, "10");
    }
    CHECK(bench.state.figures().restarts_error == 20);
    CHECK(bench.state.figures().trouble.empty());
}

TEST_CASE("a watch that was accepted and never said anything isn't stalled, one that wasn't accepted is") {
    Bench bench;
    bench.list({}, "10");
    bench.watch({}, cut(Ending::silent), seconds(90));
    CHECK(bench.state.figures().restarts_stall == 0);
    CHECK(bench.state.figures().restarts_eof == 1);
    CHECK(bench.state.figures().trouble.empty());
    CHECK_FALSE(bench.is_waiting());
    check_watch(bench, "10");
    const auto accepted = bench.now;
    bench.state.watch_began(bench.now);
    bench.now += seconds(90);
    bench.state.watch_ended(cut(Ending::silent), false, bench.now);
    CHECK(bench.state.figures().restarts_stall == 1);
    CHECK(bench.state.figures().last_event < accepted);
}

TEST_CASE("repeated internal errors end in a list, refused connections never do") {
    Bench bench;
    bench.list({}, "10");
    for (int i = 0; i < 20; ++i) {
        bench.watch({}, cut(Ending::unreachable), seconds(0));
        CHECK(bench.step().kind == ListWatchState::Step::Kind::watch);
    }
    for (int i = 0; i < 4; ++i) {
        bench.watch({event("ERROR", R"({"code":500,"reason":"InternalError"})")}, ok());
        CHECK(bench.step().kind == ListWatchState::Step::Kind::watch);
    }
    bench.watch({}, refused(500));
    check_list(bench, "?resourceVersion=10");
}

TEST_CASE("a list that was cut is begun again, and nothing is deleted by half of it") {
    Bench bench;
    bench.list({thing("a", "1", "1"), thing("b", "2", "1")}, "10");
    bench.watch({}, refused(410));
    bench.state.list_began(bench.now);
    bench.state.list_item(thing("b", "2", "1"));
    bench.state.list_ended(cut(Ending::broken), false, bench.now);
    CHECK(bench.delivered == Lines{"seen a", "seen b"});
    CHECK(bench.is_waiting());
    check_list(bench, "?limit=500");
    bench.list({thing("a", "1", "1")}, "12");
    CHECK(bench.delivered == Lines{"seen a", "seen b", "gone b"});
}

TEST_CASE("forbidden is not listed, says so, and is tried again") {
    Bench bench;
    bench.list_fails(refused(403, R"({"message":"things is forbidden"})"));
    CHECK_FALSE(bench.state.figures().listed);
    CHECK(bench.state.figures().trouble == "the list of things.example.org was answered with 403: things is forbidden");
    CHECK_FALSE(bench.state.kind_was_missing());
    CHECK(bench.state.figures().forbidden == 1);
    check_list(bench, "?limit=500&resourceVersion=0");
    bench.list_fails(refused(500));
    CHECK(bench.state.figures().forbidden == 0);
}

TEST_CASE("reading anew lists again, and delivers unchanged objects") {
    Bench bench;
    bench.list({thing("a", "1", "1")}, "10");
    bench.state.read_anew();
    check_list(bench, "?resourceVersion=10");
    bench.list({thing("a", "1", "1")}, "10");
    CHECK(bench.delivered == Lines{"seen a", "seen a"});
}

TEST_CASE("a 404 raises the question whether the kind is served, once") {
    Bench bench;
    bench.list({thing("a", "1", "1")}, "10");
    bench.watch({}, refused(404));
    CHECK(bench.state.kind_was_missing());
    CHECK_FALSE(bench.state.kind_was_missing());
    SUBCASE("it is: everything is listed afresh") {
        bench.state.served_as("v2");
        check_list(bench, "?limit=500");
        CHECK(bench.delivered == Lines{"seen a"});
    }
    SUBCASE("it isn't: everything is gone") {
        bench.state.unserved();
        CHECK(bench.delivered == Lines{"seen a", "gone a"});
        CHECK(bench.state.objects() == 0);
    }
}

TEST_CASE("the first list of our own records is never one of a cache, which may be older than the last commit (I8)") {
    for (const WatchedKind& kind : watched_kinds) {
        CAPTURE(full_name(kind));
        ListWatchState state(
            kind, "v1", WatchPace{}, [] { return 0.0; }, [](const Value&, Change) {},
            [](const json&, const std::string&) {}, [](const std::string&) {});
        const bool is_from_cache =
            state.next(ListWatchState::Instant{seconds(100)}).query.contains("resourceVersion=0");
        CHECK(is_from_cache == !kind.is_record);
    }
}

TEST_CASE("the field selector goes with lists, pages and watches") {
    const WatchedKind selected{
        .resource = "pods", .group = "", .versions = {"v1"}, .kind = "Pod", .field_selector = "status.phase!=Failed"};
    ListWatchState state(
        selected, "v1", WatchPace{}, [] { return 0.0; }, [](const Value&, Change) {},
        [](const json&, const std::string&) {}, [](const std::string&) {});
    const ListWatchState::Instant now{seconds(100)};
    const std::string part = "&fieldSelector=status.phase%21%3DFailed";
    CHECK(state.next(now).query == "?limit=500&resourceVersion=0" + part);
    state.list_began(now);
    state.list_member("metadata", R"({"resourceVersion":"4","continue":"c"})");
    state.list_ended(ok(), true, now);
    CHECK(state.next(now).query == "?limit=500&continue=c" + part);
    state.list_began(now);
    state.list_ended(refused(410), true, now);
    CHECK(state.next(now).query == "?fieldSelector=status.phase%21%3DFailed");
    state.list_began(now);
    state.list_member("metadata", R"({"resourceVersion":"4"})");
    state.list_ended(ok(), true, now);
    CHECK(state.next(now).query == "?watch=true&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=4" + part);
}

}  // namespace
}  // namespace echelon::kube

#include "kube/watch/list_watch_state.hpp"

#include "kube/json/splitter.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Ending = HttpAnswer::Ending;
using Lines = std::vector<std::string>;

constexpr WatchedKind things{.resource = "things", .group = "example.org", .versions = {"v1"}, .kind = "Thing"};

HttpAnswer ok() {
    return {.ending = Ending::complete, .status = 200};
}
HttpAnswer refused(int status, const std::string& body = "{}") {
    return {.ending = Ending::complete, .status = status, .body = body};
}
HttpAnswer cut(Ending ending) {
    return {.ending = ending, .sentence = "the connection ended"};
}

std::string thing(const std::string& name, const std::string& uid, const std::string& version) {
    return json{{"metadata", {{"name", name}, {"uid", uid}, {"resourceVersion", version}}}}.dump();
}
std::string event(const std::string& type, const std::string& object) {
    return R"({"type":")" + type + R"(","object":)" + object + "}";
}

// A ListWatchState with a clock and a random number that the test sets.
struct Bench {
    ListWatchState::Instant now{std::chrono::hours(10)};
    Lines delivered = {};
    Lines logged = {};
    Lines unreadable = {};  // "NAME: FAULT"; nameless ones: "?: FAULT".
    ListWatchState state{
        things,
        "v1",
        WatchPace{},
        [] { return 0.5; },
        [this](const Value& object, Change change) {
            delivered.push_back((change == Change::seen ? "seen " : "gone ") +
                                std::string(object.find("metadata").find("name").text()));
        },
        [this](const json& outline, const std::string& fault) {
            const bool is_named = outline.is_object();
            unreadable.push_back((is_named ? outline["metadata"]["name"].get<std::string>() : std::string("?")) + ": " +
                                 fault);
        },
        [this](const std::string& sentence) { logged.push_back(sentence); }};

    // Waits as long as the state asks for, and returns the step after that.
    ListWatchState::Step step() {
        ListWatchState::Step next = state.next(now);
        if (next.kind == ListWatchState::Step::Kind::wait) {
            now += next.wait;
            next = state.next(now);
        }
        return next;
    }
    void list(const Lines& items, const std::string& version, const std::string& more = "") {
        state.list_began(now);
        for (const std::string& item : items)
            state.list_item(item);
        state.list_member("metadata", json{{"resourceVersion", version}, {"continue", more}}.dump());
        state.list_ended(ok(), true, now);
    }
    void list_fails(const HttpAnswer& answer) {
        state.list_began(now);
        state.list_ended(answer, false, now);
    }
    // A watch of a minute; true if the state took all lines.
    bool watch(const Lines& lines, const HttpAnswer& end, seconds length = seconds(60)) {
        state.watch_began(now);
        if (end.status == 200 || end.status == 0)
            state.watch_opened(now);
        bool wanted = true;
        for (const std::string& line : lines)
            wanted = wanted && state.watch_line(line, now);
        now += length;
        state.watch_ended(wanted ? end : cut(Ending::declined), false, now);
        return wanted;
    }
    // A watch that ends inside a line.
    void watch_is_cut(const Lines& lines, seconds length = seconds(60)) {
        state.watch_began(now);
        state.watch_opened(now);
        for (const std::string& line : lines)
            CHECK(state.watch_line(line, now));
        now += length;
        state.watch_ended(cut(Ending::broken), true, now);
    }
    bool is_waiting() const {
        return const_cast<ListWatchState&>(state).next(now).kind == ListWatchState::Step::Kind::wait;
    }
};

void check_list(Bench& bench, const std::string& query) {
    const ListWatchState::Step step = bench.step();
    CHECK(step.kind == ListWatchState::Step::Kind::list);
    CHECK(step.query == query);
}
void check_watch(Bench& bench, const std::string& version) {
    const ListWatchState::Step step = bench.step();
    CHECK(step.kind == ListWatchState::Step::Kind::watch);
    CHECK(step.query == "?watch=true&allowWatchBookmarks=true&timeoutSeconds=450&resourceVersion=" + version);
}

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
    CHECK(bench.is_waiting());
    check_list(bench, "?limit=500");
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
    SUBCASE("status") {
        busy.retry_after = seconds(17);
        bench.watch({}, busy);
    }
    SUBCASE("event") {
        bench.watch({event("ERROR", R"({"code":429,"details":{"retryAfterSeconds":17}})")}, ok(), seconds(0));
    }
    CHECK(bench.state.next(bench.now).wait == seconds(17));
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

TEST_CASE("a line that can't be read is skipped, whatever is wrong with it, and the watch goes on behind it (BD7)") {
    const std::string deep(deepest_nesting + 1, '[');
    for (const std::string& line :
         {std::string("{\"type\":\"ADD"), std::string("[]"), std::string("{}"), std::string("\xff\xfe"),
          std::string(R"({"type":"ADDED","object":null})"), event("SPARKLED", thing("c", "3", "99")),
          event("ADDED", R"({"metadata":{"resourceVersion":"12"}})"), R"({"type":"ADDED","object":)" + deep}) {
        CAPTURE(line);
        Bench bench;
        bench.list({thing("a", "1", "1")}, "10");
        CHECK(bench.watch({line, event("ADDED", thing("b", "2", "13"))}, ok()));
        CHECK(bench.delivered == Lines{"seen a", "seen b"});
        CHECK(bench.unreadable.size() == 1);
        CHECK(bench.state.figures().unreadable == 1);
        CHECK(bench.state.figures().restarts_error == 0);
        check_watch(bench, "13");
    }
}

TEST_CASE("an event whose object can't be read is named once per version, and taken up behind it (BD7)") {
    Bench bench;
    bench.list({thing("a", "1", "1")}, "10");
    const std::string broken =
        R"({"type":"MODIFIED","object":{"metadata":{"name":"a","uid":"1","resourceVersion":"12"},"x":}})";
    CHECK(bench.watch({broken, broken}, ok()));
    CHECK(bench.unreadable == Lines{"a: a line of the watch isn't a JSON object"});
    CHECK(bench.delivered == Lines{"seen a"});
    check_watch(bench, "12");
    CHECK(bench.watch(
        {R"({"type":"DELETED","object":{"metadata":{"name":"a","uid":"1","resourceVersion":"14"},"x":}})"}, ok()));
    CHECK(bench.delivered == Lines{"seen a", "gone a"});
    check_watch(bench, "14");
    bench.state.watch_began(bench.now);
    CHECK(bench.state.watch_line_too_long(
        R"({"type":"ADDED","object":{"metadata":{"name":"l","uid":"7","resourceVersion":"15"},"spec":"xxx)",
        bench.now));
    CHECK(bench.unreadable.back() == "l: a line of the watch is longer than 4194304 bytes");
    bench.now += seconds(60);
    bench.state.watch_ended(ok(), false, bench.now);
    check_watch(bench, "15");
}

TEST_CASE("rubbish alone is no event: a server that sends nothing else and ends is asked less and less often (BD7)") {
    Bench bench;
    bench.list({}, "10");
    milliseconds last{};
    for (int i = 0; i < 4; ++i) {
        CHECK(bench.watch({"rubbish", "<html>"}, ok(), seconds(0)));
        const milliseconds wait = bench.state.next(bench.now).wait;
        CHECK(wait > last);
        last = wait;
        check_watch(bench, "10");
    }
}

TEST_CASE("a watch that is cut inside a line is taken up before it; cut there again, it means a list (BD7)") {
    Bench bench;
    bench.list({}, "10");
    bench.watch_is_cut({event("ADDED", thing("a", "1", "11"))});
    check_watch(bench, "11");
    bench.watch_is_cut({event("ADDED", thing("b", "2", "12"))});
    check_watch(bench, "12");  // Another line.
    bench.watch_is_cut({});
    CHECK(bench.is_waiting());
    check_list(bench, "?resourceVersion=12");
    bench.list({thing("a", "1", "11"), thing("b", "2", "12"), thing("c", "3", "13")}, "13");
    bench.watch_is_cut({});
    check_watch(bench, "13");
}

TEST_CASE("an item that can't be read stays as it was, and none is gone that it could be (BD7)") {
    Bench bench;
    bench.list({thing("a", "1", "1"), thing("b", "2", "1"), thing("c", "3", "1")}, "10");
    bench.delivered.clear();
    const std::string named = R"({"metadata":{"name":"a","uid":"1","resourceVersion":"2"},"spec":"\xff"})";
    SUBCASE("its name can be read: the others are judged by the list") {
        bench.state.read_anew();
        bench.list({named, thing("b", "2", "1")}, "11");
        CHECK(bench.delivered == Lines{"seen b", "gone c"});
        CHECK(bench.unreadable == Lines{"a: an item of the list isn't a JSON object"});
    }
    SUBCASE("it can't: what the list lacks stays until each name can be read") {
        bench.state.read_anew();
        bench.list({"{\"metadata\":", thing("b", "2", "1")}, "11");
        CHECK(bench.delivered == Lines{"seen b"});
        CHECK_FALSE(bench.state.has_read_every_name());
        check_watch(bench, "11");
        bench.state.read_anew();
        bench.list({thing("a", "1", "2"), thing("b", "2", "1")}, "12");
        CHECK(bench.delivered == Lines{"seen b", "seen a", "seen b", "gone c"});
        CHECK(bench.state.has_read_every_name());
    }
}

TEST_CASE("an unreadable item or list hurts only itself") {
    Bench bench;
    bench.list({"{\"metadata\":", R"({"metadata":{}})", thing("a", "1", "1")}, "10");
    CHECK(bench.delivered == Lines{"seen a"});
    CHECK(bench.unreadable.size() == 2);
    Bench other;
    other.state.list_began(other.now);
    other.state.list_item(thing("a", "1", "1"));
    other.state.list_ended(ok(), false, other.now);
    CHECK_FALSE(other.state.figures().listed);
    CHECK(other.is_waiting());
    check_list(other, "?limit=500&resourceVersion=0");
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

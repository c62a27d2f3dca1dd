// Lines and items that can't be read hurt only themselves: the list and the watch go on behind them.

#include "kube/json/splitter.hpp"
#include "unit-tests/kube/watch/list_watch_bench.hpp"

#include <chrono>
#include <string>

#include <doctest/doctest.h>

namespace echelon::kube {
namespace {

using namespace bench;  // NOLINT(google-build-using-namespace)
using std::chrono::milliseconds;

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

}  // namespace
}  // namespace echelon::kube

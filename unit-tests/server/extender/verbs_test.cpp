#include "server/extender/verbs.hpp"

#include "server/extender/extender_args.hpp"
#include "server/http/request.hpp"
#include "unit-tests/server/edge.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::server {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

// Bodies must be followed by padding, as they are in a connection's buffer.
std::string padded(std::string_view body) {
    std::string copy;
    copy.reserve(body.size() + body_padding);
    copy.append(body);
    return copy;
}

struct Room {
    Room() : callbacks(backend.as_backend()), verbs(callbacks) {}

    std::string filter(const std::string& body) const { return verbs.filter(padded(body)).body; }
    std::string preempt(const std::string& body) const { return verbs.preempt(padded(body)).body; }
    engine::Filtered last() { return backend.filtered().back(); }

    FakeBackend backend;
    Backend callbacks;
    Verbs verbs;
};

using Told = engine::Filtered::Answer;

}  // namespace

TEST_CASE("a planned pod is answered its planned node alone") {
    Room room;
    room.backend.show(published_with({{"u1", pinned("n2")}}));
    CHECK(room.filter(filter_args("u1", R"(["n1","n2","n3"])")) == R"({"NodeNames":["n2"],"Error":""})");
    CHECK(room.last().answer == Told::pinned);
    CHECK(room.last().node == "n2");
    CHECK(room.last().names == 3);
    CHECK(room.last().uid == "u1");
}

TEST_CASE("filter names only nodes that it was given (4)") {
    Room room;
    room.backend.show(published_with({{"u1", pinned("n2")}}));
    constexpr auto text = "echelon: gang default/train: planned node isn't offered";
    CHECK(room.filter(filter_args("u1", R"(["n1", "n22", "xn2", "n"])")) ==
          R"({"NodeNames":[],"FailedAndUnresolvableNodes":{"n1":")" + std::string(text) + R"("},"Error":""})");
    CHECK(room.last().answer == Told::missing);
    CHECK(room.last().names == 4);
    CHECK(room.filter(filter_args("u1", R"(["n7"])")).find(text) != std::string::npos);
    CHECK(room.last().names == 1);
    // An empty list proves nothing, and the engine gets no input.
    auto told = room.backend.filtered().size();
    CHECK(room.filter(filter_args("u1", "[]")) == R"({"NodeNames":[],"Error":""})");
    CHECK(room.filter(filter_args("u1", "null")) == R"({"NodeNames":[],"Error":""})");
    CHECK(room.backend.filtered().size() == told);
}

TEST_CASE("the planned node is found anywhere in the list, with the pod first or last") {
    Room room;
    room.backend.show(published_with({{"u1", pinned("n2")}}));
    constexpr auto answer = R"({"NodeNames":["n2"],"Error":""})";
    for (const char* list : {R"(["n2"])", R"(["n2","n1"])", R"(["n1","n2"])", R"([ "n1" , "n2" ])"}) {
        CAPTURE(list);
        CHECK(room.filter(filter_args("u1", list)) == answer);
        CHECK(room.filter(R"({"NodeNames":)" + std::string(list) +
                          R"(,"Pod":{"metadata":{"uid":"u1"},"spec":{"schedulerName":"echelon-scheduler"}}})") ==
              answer);
    }
}

TEST_CASE("a refused pod gets its sentence on one node") {
    Room room;
    room.backend.show(published_with({{"u1", refused("echelon: gang default/train: waiting for members")}}));
    CHECK(
        room.filter(filter_args("u1", R"(["n1","n2"])")) ==
        R"({"NodeNames":[],"FailedAndUnresolvableNodes":{"n1":"echelon: gang default/train: waiting for members"},"Error":""})");
    CHECK(room.last().answer == Told::refused);
    CHECK(room.filter(filter_args("u1", "[]")) == R"({"NodeNames":[],"Error":""})");
}

TEST_CASE("a pod outside every gang gets the same names back, byte for byte") {
    Room room;
    CHECK(room.filter(filter_args("u9", R"([ "n1" ,"n2"])")) == R"({"NodeNames":[ "n1" ,"n2"],"Error":""})");
    CHECK(room.last().answer == Told::passed);
    CHECK(room.last().names == 2);
    auto many = names(5000);
    CHECK(room.filter(filter_args("u9", many)) == R"({"NodeNames":)" + many + R"(,"Error":""})");
}

TEST_CASE("a pod of another scheduler passes, whatever the published state says") {
    Room room;
    auto published = published_with({{"u1", pinned("n2")}});
    published->unsynced = {"pods"};
    room.backend.show(published);
    CHECK(room.filter(filter_args("u1", R"(["n1"])", "default-scheduler")) == R"({"NodeNames":["n1"],"Error":""})");
    CHECK(room.filter(filter_args("u1", R"(["n1"])", "other", R"(,"labels":{"gang":"train"})")) ==
          R"({"NodeNames":["n1"],"Error":""})");
    // Bind is for pods that filter was asked about, other schedulers' too.
    CHECK(room.last().answer == Told::passed);
}

TEST_CASE("before the cache is synced our pods get an error that names what is missing") {
    Room room;
    auto published = published_with({{"u1", pinned("n2")}});
    published->unsynced = {"pods", "nodes"};
    room.backend.show(published);
    CHECK(room.filter(filter_args("u1", R"(["n2"])")) == R"({"Error":"echelon: cache not synced: pods, nodes"})");
    CHECK(room.backend.filtered().empty());
}

TEST_CASE("a pod that isn't in the published state yet waits if it names a gang") {
    Room room;
    CHECK(
        room.filter(filter_args("new", R"(["n1"])", our_scheduler, R"(,"labels":{"gang":"train"})")) ==
        R"({"NodeNames":[],"FailedAndUnresolvableNodes":{"n1":"echelon: gang default/train: waiting for members"},"Error":""})");
    CHECK(room.last().answer == Told::refused);
}

TEST_CASE("lower-case arguments are read as well") {
    Room room;
    CHECK(
        room.filter(
            R"({"pod":{"metadata":{"name":"p"},"spec":{"containers":null},"status":{}},"nodes":null,"nodenames":["n1"]})") ==
        R"({"NodeNames":["n1"],"Error":""})");
}

TEST_CASE("the emptiest legal arguments get an empty list") {
    Room room;
    CHECK(
        room.filter(
            R"({"Pod":{"metadata":{"name":"p"},"spec":{"containers":null},"status":{}},"Nodes":null,"NodeNames":null})") ==
        R"({"NodeNames":[],"Error":""})");
}

TEST_CASE("node lists are refused with the option that is missing") {
    Room room;
    auto answer = nlohmann::json::parse(room.filter(
        R"({"Pod":{"metadata":{"name":"p"},"spec":{"containers":null},"status":{}},"Nodes":{"metadata":{},"items":[{"metadata":{"name":"n1"},"spec":{},"status":{}}]},"NodeNames":null})"));
    CHECK(answer.at("Error").get<std::string>().find("nodeCacheCapable: true") != std::string::npos);
}

TEST_CASE("names with escapes are compared and returned by what they mean") {
    Room room;
    room.backend.show(published_with({{"u1", pinned("n2")}}));
    CHECK(room.filter(filter_args("u1", R"(["\u006e1","\u006e2"])")) == R"({"NodeNames":["n2"],"Error":""})");
    CHECK(room.filter(filter_args("u9", R"(["\u006e1","a\"b"])")) == R"({"NodeNames":["n1","a\"b"],"Error":""})");
    room.backend.show(published_with({{"u1", refused("echelon: no")}}));
    CHECK(room.filter(filter_args("u1", R"(["\u006e1","n2"])")) ==
          R"({"NodeNames":[],"FailedAndUnresolvableNodes":{"n1":"echelon: no"},"Error":""})");
}

TEST_CASE("prioritize has no opinion on any body") {
    Room room;
    CHECK(room.verbs.prioritize(padded(filter_args("u1", R"(["n1"])"))).body == "[]");
    CHECK(room.verbs.prioritize(padded("garbage")).body == "[]");
    CHECK(room.verbs.prioritize(padded("")).body == "[]");
}

TEST_CASE("preemption for a member of a gang is vetoed") {
    Room room;
    room.backend.show(published_with({{"u1", pinned("n2")}}));
    constexpr auto body =
        R"({"Pod":{"metadata":{"name":"train-0","namespace":"default","uid":"u1"},"spec":{"schedulerName":"echelon-scheduler"}},"NodeNameToVictims":null,"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"v1"}],"NumPDBViolations":0}}})";
    CHECK(room.preempt(body) == R"({"NodeNameToMetaVictims":{}})");
    constexpr auto named =
        R"({"Pod":{"metadata":{"name":"t","uid":"new","labels":{"gang":"train"}},"spec":{"schedulerName":"echelon-scheduler"}},"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"v1"}],"NumPDBViolations":0}}})";
    CHECK(room.preempt(named) == R"({"NodeNameToMetaVictims":{}})");
}

TEST_CASE("preemption for any other pod is granted in the meta form") {
    Room room;
    constexpr auto meta =
        R"({"Pod":{"metadata":{"name":"train-0","namespace":"default"},"spec":{"containers":null},"status":{}},"NodeNameToVictims":null,"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"0b9e6c34-1111-4222-8333-444455556666"}],"NumPDBViolations":0}}})";
    CHECK(
        room.preempt(meta) ==
        R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"0b9e6c34-1111-4222-8333-444455556666"}],"NumPDBViolations":0}}})");
    constexpr auto full =
        R"({"Pod":{"metadata":{"name":"p"}},"NodeNameToVictims":{"n1":{"Pods":[{"metadata":{"name":"v","uid":"v1"},"spec":{}},{"metadata":{"uid":"v2"}}],"NumPDBViolations":3},"n2":{"Pods":[],"NumPDBViolations":0},"n3":null},"NodeNameToMetaVictims":null})";
    CHECK(
        room.preempt(full) ==
        R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"v1"},{"UID":"v2"}],"NumPDBViolations":3},"n2":{"Pods":[],"NumPDBViolations":0}}})");
    constexpr auto lower =
        R"({"pod":{"metadata":{"name":"p"}},"nodenametometavictims":{"n1":{"pods":[{"uid":"v1"}],"numpdbviolations":1}}})";
    CHECK(room.preempt(lower) == R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"v1"}],"NumPDBViolations":1}}})");
}

TEST_CASE("an unusable body gets each verb's own shape") {
    Room room;
    const std::string bodies[] = {
        "",
        " ",
        "null",
        "[]",
        "3",
        "\"x\"",
        "{",
        "{\"Pod\"",
        "{\"Pod\":{}",
        "garbage",
        "{\"Pod\":3}",
        "{\"Pod\":{\"metadata\":[]}}",
        "{\"Pod\":{\"metadata\":{\"uid\":7}}}",
        "{\"Pod\":{\"spec\":{\"schedulerName\":{}}}}",
        "{\"NodeNames\":[\"n1\"]}",
        "{\"Pod\":{\"metadata\":{}},\"NodeNames\":\"n1\",\"NodeNameToMetaVictims\":[]}",
        "{\"Pod\":{\"metadata\":{}},\"NodeNames\":[1],\"NodeNameToMetaVictims\":{\"n\":3}}",
        "{\"Pod\":{\"metadata\":{}},\"NodeNames\":[[\"n1\"]],\"NodeNameToMetaVictims\":{\"n\":{\"Pods\":[3]}}}",
        "{\"Pod\":{\"metadata\":{}},\"NodeNames\":[\"n1\",],\"NodeNameToMetaVictims\":{\"n\":{\"Pods\":[{}]}}}",
        "{\"Pod\":{\"metadata\":{\"uid\":\"\xff\xfe\"}},\"NodeNames\":[\"n1\"]}",
        "{\"Pod\":{\"metadata\":{}},\"NodeNames\":[\"\xc3\x28\"]}",
        std::string(100'000, '['),
        "{\"Pod\":" + std::string(100'000, '['),
        "{\"Pod\":{\"metadata\":{},\"x\":" + std::string(50'000, '[') + std::string(50'000, ']') +
            "},\"NodeNames\":[]}"};
    for (const auto& body : bodies) {
        CAPTURE(body.substr(0, 80));
        auto error = nlohmann::json::parse(room.filter(body));
        REQUIRE(error.size() == 1);
        CHECK(error.at("Error").get<std::string>().starts_with("echelon: filter: "));
        CHECK(room.preempt(body) == R"({"NodeNameToMetaVictims":{}})");
    }
    CHECK(room.backend.filtered().empty());
}

TEST_CASE("a fault in an unread field makes the body unusable too") {
    Room room;
    for (const char* rest :
         {R"("status":;)", R"("status":{]})", R"("status":[})", R"("a":[1,])", R"("a":{"b" 1})", R"("a":{"b":tru})",
          R"("a":"\q")", R"("a":01)", R"("a":[1 2])", R"("a":{,})", R"("a":{"b":{"c":[{"d":}]}})"}) {
        CAPTURE(rest);
        const std::string bad = rest;
        const std::string pod = R"("metadata":{"uid":"u1"},"spec":{"schedulerName":"echelon-scheduler"})";
        for (const auto& body : {R"({"Pod":{)" + pod + "," + bad + R"(},"NodeNames":["n1"]})",
                                 R"({"Pod":{)" + pod + R"(},)" + bad + R"(,"NodeNames":["n1"]})",
                                 R"({"Pod":{)" + pod + R"(},"NodeNames":["n1"],)" + bad + "}",
                                 R"({"Pod":{"metadata":{)" + bad + R"(,"uid":"u1"}},"NodeNames":["n1"]})"}) {
            CAPTURE(body);
            const auto error = nlohmann::json::parse(room.filter(body));
            REQUIRE(error.size() == 1);
            CHECK(error.at("Error").get<std::string>().starts_with("echelon: filter: "));
        }
        CHECK(room.preempt(R"({"Pod":{)" + pod + R"(},"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"v",)" + bad +
                           R"(}]}}})") == R"({"NodeNameToMetaVictims":{}})");
        CHECK_FALSE(
            parse_bind_args(padded(R"({"PodName":"a","PodNamespace":"b","PodUID":"u","Node":"n",)" + bad + "}")));
    }
    CHECK(room.backend.filtered().empty());
}

TEST_CASE("a former leader answers our pods with an Error, and others as ever") {
    Room room;
    room.backend.show(published_with({{"u1", pinned("n1")}}));
    room.backend.lose_lead(true);
    constexpr auto error = R"({"Error":"echelon: this echelon no longer leads"})";
    for (const char* uid : {"u1", "plain"})
        CHECK(room.filter(filter_args(uid, R"(["n1"])")) == error);
    CHECK(room.filter(filter_args("u9", R"(["n1"])", "other")) == R"({"NodeNames":["n1"],"Error":""})");
    const auto prioritized = room.verbs.prioritize(padded(filter_args("u1", R"(["n1"])")));
    CHECK(prioritized.status == 503);
    CHECK(prioritized.body == error);
    CHECK(room.verbs.prioritize(padded(filter_args("u1", R"(["n1"])", "other"))).body == "[]");
    CHECK(room.backend.filtered().size() == 1);
    room.backend.lose_lead(false);
    CHECK(room.filter(filter_args("u1", R"(["n1"])")) == R"({"NodeNames":["n1"],"Error":""})");
    CHECK(room.verbs.prioritize(padded(filter_args("u1", R"(["n1"])"))).body == "[]");
}

TEST_CASE("unknown fields and white space behind the value are ignored, other bytes are an Error") {
    Room room;
    const std::string body =
        R"({"Extra":[{"a":[1,2,{}]}],"Pod":{"metadata":{"more":[[]]}},"NodeNames":["n1"],"Z":1.5e3})";
    const std::string bind_body = R"({"PodName":"p","PodNamespace":"n","PodUID":"u","Node":"n1"})";
    for (const char* tail : {"", "\n", " \t\r\n"}) {
        CAPTURE(tail);
        CHECK(room.filter(body + tail) == R"({"NodeNames":["n1"],"Error":""})");
    }
    for (const char* tail : {" x", "}", "}}}garbage", "{}", "\"", "\xff"}) {
        CAPTURE(tail);
        CHECK(room.filter(body + tail).contains("the body isn't valid JSON"));
        const auto bound = padded(bind_body + tail);
        const auto args = parse_bind_args(bound);
        REQUIRE_FALSE(args);
        CHECK(args.error().sentence.contains("the body isn't valid JSON"));
    }
}

}  // namespace echelon::server

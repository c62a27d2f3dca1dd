// Whole objects are tested with samples of the API server's own code (unit-tests/replay/encodings_test.cpp).

#include "kube/protobuf/transcoder.hpp"

#include "kube/json/splitter.hpp"
#include "kube/watch/partial_identity.hpp"
#include "unit-tests/kube/protobuf/protobuf_bytes.hpp"

#include <limits>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

namespace echelon::kube {
namespace {

using nlohmann::json;

const ObjectShape& pod_shape() {
    return *shape_of("v1", "Pod");
}

struct Written {
    std::string text;
    std::string fault;  // Empty: none.
};

Written object_of(const std::string& message) {
    Written out;
    if (const auto done = append_object(message, pod_shape(), out.text); !done)
        out.fault = done.error().sentence;
    return out;
}

Written event_of(const std::string& frame) {
    Written out;
    if (const auto done = append_event(frame, pod_shape(), out.text); !done)
        out.fault = done.error().sentence;
    return out;
}

TEST_CASE("a pod is written with the fields that are read, in compact JSON") {
    const std::string message =
        field(1, metadata("a", "u", "7") + field(3, "ns") + number_field(7, 2) +
                     field(8, number_field(1, 1'767'225'600)) + entry(11, "app", "x") + entry(11, "tier", "") +
                     field(17, "managed by somebody")) +
        field(2, field(1, "a volume") +
                     field(2, field(1, "main") + field(2, "an image") +
                                  field(6, field(1, "p") + number_field(2, 80) + field(4, "TCP") + field(5, "")) +
                                  field(8, entry(2, "cpu", field(1, "500m"))) + field(24, "")) +
                     field(10, "") + number_field(25, static_cast<std::uint64_t>(-5)) +
                     field(33, number_field(1, 1) + field(2, "rack") + field(3, "DoNotSchedule")) +
                     field(38, field(1, "gate"))) +
        field(3, field(1, "Pending") + number_field(99, 1) + field(5, "10.0.0.1"));
    const Written written = object_of(message);
    CHECK(written.fault.empty());
    CHECK(
        written.text ==
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","uid":"u","resourceVersion":"7","namespace":"ns",)"
        R"("generation":2,"creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"x","tier":""}},)"
        R"("spec":{"containers":[{"name":"main","ports":[{"hostPort":80,"protocol":"TCP"}],"resources":{"requests":{"cpu":"500m"}}}],"priority":-5,)"
        R"("topologySpreadConstraints":[{"whenUnsatisfiable":"DoNotSchedule"}],)"
        R"("schedulingGates":[{"name":"gate"}]},"status":{"phase":"Pending"}})");
}

// Pods of 1.35 and before name a Workload.
TEST_CASE("a pod's reference to a Workload is read under the number that was its own") {
    const Written written = object_of(field(2, field(42, field(1, "w") + field(2, "workers") + field(3, "r0"))));
    CHECK(json::parse(written.text)["spec"]["workloadRef"] ==
          json{{"name", "w"}, {"podGroup", "workers"}, {"podGroupReplicaKey", "r0"}});
}

TEST_CASE("texts are written as JSON says them, and what isn't UTF-8 is replaced") {
    const std::string text = "\"\\\n\x01\x7f \xc3\xa4\xf0\x9f\x98\x80 \xff";
    const Written written = object_of(field(1, entry(12, text, text)));
    const auto parsed = parse_object(written.text);
    REQUIRE(parsed);
    const std::string said = text.substr(0, text.size() - 1) + "\xEF\xBF\xBD";
    CHECK((*parsed)["metadata"]["annotations"] == json{{said, said}});
}

TEST_CASE("times are written as far as years have four digits") {
    const auto time_of = [](std::int64_t seconds) {
        return object_of(field(1, field(8, number_field(1, static_cast<std::uint64_t>(seconds)))));
    };
    const auto said = [&](std::int64_t seconds) {
        return json::parse(time_of(seconds).text)["metadata"]["creationTimestamp"].get<std::string>();
    };
    CHECK(said(0) == "1970-01-01T00:00:00Z");
    CHECK(said(-1) == "1969-12-31T23:59:59Z");
    CHECK(said(951'782'399) == "2000-02-28T23:59:59Z");
    CHECK(said(253'402'300'799) == "9999-12-31T23:59:59Z");
    for (const std::int64_t beyond :
         {std::int64_t{253'402'300'800}, std::int64_t{-70'000'000'000}, std::numeric_limits<std::int64_t>::max(),
          std::numeric_limits<std::int64_t>::min()})
        CHECK(time_of(beyond).fault == "isn't readable as protobuf: a time is beyond all years");
    // The zero time is null in JSON.
    CHECK(object_of(field(1, field(8, ""))).text == R"({"apiVersion":"v1","kind":"Pod","metadata":{}})");
}

TEST_CASE("what can't be read is an error, and the name in front of it is in the text") {
    struct Row {
        std::string rest;  // Behind name, UID and version.
        std::string_view fault;
    };
    const Row rows[] = {
        {number_field(7, 1) + "\x5a\x7f", "it ends inside a field"},
        {entry(11, "a", "b") + field(5, "u") + entry(11, "c", "d"), "uid is given twice"},
        {field(7, "two"), "generation has another type"},
        {number_field(11, 1), "labels has another type"},
        {field(11, "\x0a\x05"), "it ends inside a field"},
        {field(11, number_field(1, 1)), "labels has another type"},
        {"\x0b", "it has a field of an unknown type"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.fault);
        const Written written = object_of(field(1, metadata("a", "u", "7") + row.rest));
        CHECK(written.fault == "isn't readable as protobuf: " + std::string(row.fault));
        const PartialIdentity identity = identity_of_object(written.text);
        CHECK(identity.name == "a");
        CHECK(identity.uid == "u");
        CHECK(identity.version == "7");
    }
}

TEST_CASE("of an object that is cut anywhere behind its name, the name is found") {
    const std::string whole =
        field(1, metadata("a", "u", "7") + entry(12, "key", std::string(300, 'x'))) + field(2, field(10, "node"));
    const std::size_t named = whole.find("7") + 1;
    for (std::size_t size = named; size < whole.size(); ++size) {
        CAPTURE(size);
        const Written written = object_of(whole.substr(0, size));
        CHECK(identity_of_object(written.text).is_named());
    }
    CHECK(object_of(whole.substr(0, named)).fault == "isn't readable as protobuf: it ends inside a field");
}

TEST_CASE("a frame of a watch becomes a line: an object, a bookmark, an error") {
    const std::string pod = envelope("v1", "Pod", field(1, metadata("a", "u", "7")));
    CHECK(event_of(watch_event("ADDED", pod)).text == R"({"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod",)"
                                                      R"("metadata":{"name":"a","uid":"u","resourceVersion":"7"}}})");
    const std::string bookmark = envelope("v1", "Pod", field(1, field(1, "") + field(6, "9")));
    CHECK(event_of(watch_event("BOOKMARK", bookmark)).text ==
          R"({"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"Pod","metadata":{"resourceVersion":"9"}}})");
    const std::string error = envelope("v1", "Status",
                                       field(2, "Failure") + field(3, "too old") + field(4, "Expired") +
                                           field(5, number_field(5, 3)) + number_field(6, 410));
    CHECK(json::parse(event_of(watch_event("ERROR", error)).text)["object"] ==
          json{{"apiVersion", "v1"},
               {"kind", "Status"},
               {"status", "Failure"},
               {"message", "too old"},
               {"reason", "Expired"},
               {"details", {{"retryAfterSeconds", 3}}},
               {"code", 410}});
}

TEST_CASE("a frame without such an object is an error") {
    CHECK(event_of(watch_event("ADDED", envelope("v1", "Node", ""))).fault ==
          "isn't readable as protobuf: it is no Pod");
    CHECK(event_of(watch_event("ADDED", "{}")).fault == "isn't readable as protobuf: it begins with other bytes");
    CHECK(event_of("").fault == "isn't readable as protobuf: it begins with other bytes");
    const std::string packed =
        std::string(protobuf_magic) + field(1, field(1, "v1") + field(2, "Pod")) + field(3, "gzip");
    CHECK(event_of(watch_event("ADDED", packed)).fault ==
          "isn't readable as protobuf: its object is encoded once more");
}

TEST_CASE("a frame that is cut is an error with the type and the name that it gave") {
    const std::string whole =
        watch_event("DELETED", envelope("v1", "Pod", field(1, metadata("a", "u", "7")) + field(2, field(10, "node"))));
    for (std::size_t size = whole.find("7") + 1; size < whole.size(); ++size) {
        CAPTURE(size);
        const Written written = event_of(whole.substr(0, size));
        CHECK_FALSE(written.fault.empty());
        const PartialIdentity identity = identity_of_event(written.text);
        CHECK(identity.type == "DELETED");
        CHECK(identity.is_named());
    }
}

TEST_CASE("any bytes become JSON or an error, and the text grows by a factor at most") {
    CHECK(rc::check([] {
        const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
        for (const ObjectShape& shape : object_shapes()) {
            std::string text;
            if (append_object(bytes, shape, text))
                RC_ASSERT(parse_object(text).has_value());
            RC_ASSERT(text.size() <= 100 + 50 * bytes.size());
        }
    }));
}

TEST_CASE("no message has more rows than a word has bits, and no row twice") {
    const auto check = [](const auto& self, const MessageShape& message) -> void {
        CHECK(message.fields.size() <= 64);
        for (const FieldShape& field : message.fields) {
            for (const FieldShape& other : message.fields)
                CHECK((&field == &other || (field.number != other.number && field.name != other.name)));
            if (field.shape != nullptr)
                self(self, *field.shape);
        }
    };
    for (const ObjectShape& shape : object_shapes())
        check(check, *shape.message);
}

}  // namespace
}  // namespace echelon::kube

#include "kube/watch/incoming_stream.hpp"

#include "unit-tests/kube/protobuf/protobuf_bytes.hpp"
#include "unit-tests/kube/reflector_scene.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::kube {
namespace {

using namespace scene;

constexpr const char* list_type = "application/vnd.kubernetes.protobuf";
constexpr const char* watch_type = "application/vnd.kubernetes.protobuf;stream=watch";

std::string message(std::string_view name, std::string_view uid, std::string_view version) {
    return field(1, metadata(name, uid, version));
}
std::string frame(std::string_view type, std::string_view object) {
    return framed(watch_event(type, envelope("v1", "Node", object)));
}
std::string list_of(const std::vector<std::string>& items, std::string_view version) {
    std::string list = field(1, field(2, version));
    for (const std::string& item : items)
        list += field(2, item);
    return envelope("v1", "NodeList", list);
}

std::string node_named(std::string_view name, std::string_view uid, std::string_view version, std::string_view cpu) {
    return field(1, metadata(name, uid, version)) + field(3, entry(2, "cpu", field(1, cpu)));
}

// The events of a list and a watch that arrive in pieces of a size.
struct Told {
    Lines lines;
    ListWatchState state{
        nodes,
        "v1",
        hurried,
        [] { return 0.5; },
        [this](const Value& object, Change change) {
            lines.push_back((change == Change::seen ? "seen " : "gone ") + object.tree().dump());
        },
        [this](const json& outline, const std::string& fault) { lines.push_back(outline.dump() + ": " + fault); },
        [this](const std::string& sentence) { lines.push_back(sentence); }};
    bool is_open = true;
    bool is_inside = false;

    static ListWatchState::Instant now() { return {}; }

    template <class Incoming>
    void feed(Incoming& incoming, const char* type, std::string_view bytes, std::size_t size) {
        incoming.opened(type);
        for (; is_open && !bytes.empty(); bytes.remove_prefix(std::min(size, bytes.size())))
            is_open = incoming.feed(bytes.substr(0, size));
    }
    void list(std::string_view bytes, std::size_t size) {
        state.list_began(now());
        IncomingList incoming(state, shape_of("v1", "Node"));
        feed(incoming, list_type, bytes, size);
        state.list_ended({.ending = HttpAnswer::Ending::complete, .status = 200}, incoming.complete(), now());
    }
    void watch(std::string_view bytes, std::size_t size) {
        state.watch_began(now());
        state.watch_opened(now());
        IncomingWatch incoming(state, shape_of("v1", "Node"), now);
        feed(incoming, watch_type, bytes, size);
        is_inside = incoming.is_inside_event();
    }
};

Scene::Answer typed(const char* type, const std::string& body, int status = 200) {
    return [=](FakeApiServer&, const httplib::Request& request, httplib::Response& response) {
        CHECK(request.get_header_value("Accept") == protobuf_or_json);
        response.status = status;
        response.set_content(body, type);
    };
}

TEST_CASE("a list and a watch in protobuf give the same calls as in JSON") {
    Scene scene({typed(list_type, list_of({message("a", "1", "3"), message("b", "2", "4")}, "7"))},
                {typed(watch_type, frame("ADDED", message("c", "3", "8")) + frame("DELETED", message("a", "1", "9")) +
                                       frame("BOOKMARK", message("", "", "20"))),
                 stream({event("ADDED", node("d", "4", "21"))}, Then::hang)});  // A proxy that speaks JSON alone.
    CHECK(wait_for_last(scene, "seen d 4"));
    CHECK(scene.events.all() == Lines{"seen a 1", "seen b 2", "synced nodes", "seen c 3", "gone a", "seen d 4"});
    CHECK(scene.watched_from() == Lines{"7", "20"});
    CHECK(scene.log.all().empty());
}

TEST_CASE("an item and an event of protobuf that can't be read cost their own object alone (BD7)") {
    const std::string broken = field(1, metadata("odd", "9", "2") + "\x5a\x7f");
    Scene scene({typed(list_type, list_of({broken, message("a", "1", "3")}, "7"))},
                {typed(watch_type, frame("MODIFIED", field(1, metadata("odd", "9", "8") + "\x0b")) +
                                       framed("no event") + frame("ADDED", message("b", "2", "9")) +
                                       frame("DELETED", field(1, metadata("a", "1", "10") + "\x0b"))),
                 stream({event("ADDED", node("c", "3", "11"))}, Then::hang)});
    CHECK(wait_for_last(scene, "seen c 3"));
    CHECK(scene.events.all() == Lines{"seen a 1", "synced nodes", "seen b 2", "gone a", "seen c 3"});
    CHECK(scene.watched_from() == Lines{"7", "10"});
    CHECK(scene.log.all().front() ==
          "Node odd: an item of the list isn't readable as protobuf: it ends inside a field");
    CHECK(scene.status().unreadable == 3);
}

TEST_CASE("errors in protobuf, as answers and inside a watch, mean what they mean in JSON") {
    const std::string expired =
        envelope("v1", "Status", field(3, "too old") + field(4, "Expired") + number_field(6, 410));
    Scene scene({typed(list_type, list_of({message("a", "1", "3")}, "7")),
                 typed(list_type, list_of({message("b", "2", "4")}, "8")),
                 typed(list_type, list_of({message("c", "3", "5")}, "9"))},
                {typed(list_type, expired, 410), typed(watch_type, framed(watch_event("ERROR", expired))),
                 stream({}, Then::hang)});
    CHECK(wait_for_last(scene, "gone b"));
    CHECK(scene.listed_with() == Lines{"?limit=500&resourceVersion=0", "?limit=500", "?limit=500"});
    CHECK(scene.status().restarts_expired == 2);
}

TEST_CASE("a list of protobuf that is cut is no list, and is asked for again") {
    const std::string whole = list_of({message("a", "1", "3"), message("b", "2", "4")}, "7");
    Scene scene({typed(list_type, whole.substr(0, whole.size() - 10)), typed(list_type, whole)},
                {stream({}, Then::hang)});
    CHECK(wait_for_last(scene, "synced nodes"));
    CHECK(scene.log.all() == Lines{"the list of nodes isn't readable: it isn't whole"});
}

TEST_CASE("the chunks of a protobuf stream do not change the result") {
    const std::string list = list_of({node_named("a", "1", "3", "4"), node_named("b", "2", "4", "500m")}, "7");
    const std::string watch = frame("ADDED", node_named("c", "3", "8", "8")) + framed("no event") +
                              frame("DELETED", node_named("a", "1", "9", "4")) +
                              frame("BOOKMARK", message("", "", "20")) + frame("MODIFIED", message("b", "2", "21"));
    Told whole;
    whole.list(list, list.size());
    whole.watch(watch, watch.size());
    CHECK(whole.lines.size() == 6);
    for (std::size_t size = 1; size < std::max(list.size(), watch.size()); ++size) {
        CAPTURE(size);
        Told told;
        told.list(list, size);
        told.watch(watch, size);
        CHECK(told.lines == whole.lines);
        CHECK(told.is_open);
        CHECK_FALSE(told.is_inside);
    }
}

TEST_CASE("a protobuf watch that ends anywhere delivers its whole frames, and no other") {
    const std::string first = frame("ADDED", message("c", "3", "8"));
    const std::string both = first + frame("ADDED", message("d", "4", "9"));
    for (std::size_t size = 0; size <= both.size(); ++size) {
        CAPTURE(size);
        Told told;
        told.watch(both.substr(0, size), both.size());
        CHECK(told.lines.size() == (size == both.size() ? 2 : size >= first.size() ? 1 : 0));
        CHECK(told.is_inside == (size != 0 && size != first.size() && size != both.size()));
    }
}

TEST_CASE("an object of protobuf that is too long costs itself alone, and a length beyond all frames the watch (BD7)") {
    const std::string large = field(1, metadata("large", "9", "2") + entry(12, "a", std::string(longest_piece, 'x')));
    Scene scene({typed(list_type, list_of({large, message("a", "1", "3")}, "7"))},
                {typed(watch_type, frame("ADDED", large) + frame("ADDED", message("b", "2", "9")) + "\xff\xff\xff\xff"),
                 typed(watch_type, frame("ADDED", message("c", "3", "10")))});
    CHECK(wait_for_last(scene, "seen c 3"));
    CHECK(scene.events.all() == Lines{"seen a 1", "synced nodes", "seen b 2", "seen c 3"});
    CHECK(scene.log.all().front() == "Node large: an item of the list is longer than 4194304 bytes");
    CHECK(scene.watched_from().at(1) == "9");
}

TEST_CASE("an object whose text is too long costs itself alone, even if its message isn't (BD7)") {
    const std::string noise = entry(12, "a", std::string(longest_piece / 4, '\1'));  // Six bytes each as JSON.
    const std::string large = field(1, metadata("large", "9", "8") + noise);
    const std::string later = field(1, metadata("large", "9", "10") + noise);
    Told told;
    told.list(list_of({large, message("a", "1", "3")}, "7"), 60'000);
    told.watch(frame("ADDED", later) + frame("ADDED", message("b", "2", "11")), 60'000);
    REQUIRE(told.lines.size() == 4);
    CHECK(told.lines[0].ends_with("an item of the list is longer than 4194304 bytes"));
    CHECK(told.lines[1].starts_with("seen {"));
    CHECK(told.lines[2].ends_with("a line of the watch is longer than 4194304 bytes"));
    CHECK(told.lines[3].starts_with("seen {"));
    CHECK(told.is_open);
}

TEST_CASE("an amount of a node that can't be read costs that amount alone") {
    const std::string amounts = entry(2, "cpu", field(1, "four")) + entry(2, "memory", field(1, "1Gi"));
    Scene scene({typed(list_type, list_of({field(1, metadata("a", "1", "3")) + field(3, amounts)}, "7"))},
                {stream({}, Then::hang)});
    CHECK(wait_for_last(scene, "synced nodes"));
    CHECK(scene.events.all() == Lines{"seen a 1", "synced nodes"});
    CHECK(scene.log.all() == Lines{"Node a: status.allocatable.cpu: \"four\" isn't a quantity"});
}

TEST_CASE("the type of each answer decides how it is read, whatever was asked for") {
    Scene scene({give(node_list({node("a", "1", "3")}, "7"))},
                {typed(watch_type, frame("ADDED", message("b", "2", "8"))),
                 stream({event("ADDED", node("c", "3", "9"))}, Then::close),
                 typed(watch_type, frame("ADDED", message("d", "4", "10"))), stream({}, Then::hang)});
    CHECK(wait_for_last(scene, "seen d 4"));
    CHECK(scene.events.all() == Lines{"seen a 1", "synced nodes", "seen b 2", "seen c 3", "seen d 4"});
    CHECK(scene.log.all().empty());
}

TEST_CASE("a server that refuses protobuf is asked for JSON alone, at once and from then on") {
    const auto unless_json = [](int status, const Scene::Answer& otherwise) -> Scene::Answer {
        return [=](FakeApiServer& server, const httplib::Request& request, httplib::Response& response) {
            const bool is_refused = request.get_header_value("Accept") != "application/json";
            (is_refused ? refuse(status) : otherwise)(server, request, response);
        };
    };
    const auto page = give(node_list({node("a", "1", "3")}, "7"));
    const auto events = stream({event("ADDED", node("b", "2", "8"))}, Then::hang);
    for (const int status : {406, 415}) {
        CAPTURE(status);
        Scene lists({unless_json(status, page)}, {unless_json(status, events)});
        CHECK(wait_for_last(lists, "seen b 2"));
        CHECK(lists.listed_with().size() == 2);
        CHECK(lists.watched_from() == Lines{"7"});
        Scene watches({page}, {unless_json(status, events)});
        CHECK(wait_for_last(watches, "seen b 2"));
        CHECK(watches.watched_from() == Lines{"7", "7"});
        CHECK(lists.log.all().empty());
        CHECK(watches.log.all().empty());
    }
}

TEST_CASE("kinds without a shape are asked for as JSON") {
    CHECK(accepted(nullptr) == "application/json");
    CHECK(shape_of("echelon.sh/v1alpha1", "Gang") == nullptr);
    CHECK(shape_of("resource.k8s.io/v1beta1", "ResourceSlice") == nullptr);
    CHECK(shape_of("scheduling.k8s.io/v1alpha3", "PodGroup") == nullptr);
}

}  // namespace
}  // namespace echelon::kube

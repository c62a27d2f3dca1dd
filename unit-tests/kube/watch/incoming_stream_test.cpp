#include "kube/watch/incoming_stream.hpp"

#include "unit-tests/kube/follower_scene.hpp"
#include "unit-tests/kube/protobuf/protobuf_bytes.hpp"

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

Scene::Answer typed(const char* type, const std::string& body, int status = 200) {
    return [=](FakeApiServer&, const httplib::Request& request, httplib::Response& response) {
        CHECK(request.get_header_value("Accept") == protobuf_or_json);
        response.status = status;
        response.set_content(body, type);
    };
}

TEST_CASE("a list and a watch in protobuf tell the same story as in JSON") {
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

TEST_CASE("kinds without a shape are asked for as JSON") {
    CHECK(accepted(nullptr) == "application/json");
    CHECK(shape_of("echelon.sh/v1alpha1", "Gang") == nullptr);
    CHECK(shape_of("resource.k8s.io/v1beta1", "ResourceSlice") == nullptr);
    CHECK(shape_of("scheduling.k8s.io/v1alpha3", "PodGroup") == nullptr);
}

}  // namespace
}  // namespace echelon::kube

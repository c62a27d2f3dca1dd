#include "kube/watch/object_store.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using nlohmann::json;

struct Delivered {
    std::vector<std::string> lines = {};  // "seen ns/name uid" or "gone ...".
    std::vector<json> objects = {};

    ObjectStore::Deliver taker() {
        return [this](const Value& value, Change change) {
            const json object = value.tree();
            const json& metadata = object.at("metadata");
            lines.push_back(std::string(change == Change::seen ? "seen " : "gone ") + metadata.value("namespace", "") +
                            "/" + metadata.at("name").get<std::string>() + " " + metadata.at("uid").get<std::string>());
            objects.push_back(object);
        };
    }
    std::vector<std::string> drain() { return std::exchange(lines, {}); }
};

json object(const std::string& name, const std::string& uid, const std::string& version) {
    return {{"metadata", {{"namespace", "a"}, {"name", name}, {"uid", uid}, {"resourceVersion", version}}},
            {"spec", {{"x", 1}}}};
}

void see(ObjectStore& inventory, json it) {
    CHECK(inventory.seen(it));
}
void lose(ObjectStore& inventory, json it) {
    CHECK(inventory.gone(it));
}

using Lines = std::vector<std::string>;

TEST_CASE("what a complete list doesn't have is delivered as gone, in the order of names") {
    Delivered delivered;
    ObjectStore inventory("v1", "Pod", false, delivered.taker());
    inventory.begin_round();
    for (const char* name : {"d", "b", "c", "a"})
        see(inventory, object(name, std::string("u") + name, "1"));
    inventory.end_round();
    delivered.drain();
    inventory.begin_round();
    see(inventory, object("b", "ub", "1"));
    CHECK(delivered.drain().empty());
    inventory.end_round();
    CHECK(delivered.drain() == Lines{"gone a/a ua", "gone a/c uc", "gone a/d ud"});
    CHECK(inventory.size() == 1);
}

TEST_CASE("an unreadable object stays, is reported once per version, and is deleted by name") {
    Delivered delivered;
    ObjectStore inventory("v1", "Pod", false, delivered.taker());
    see(inventory, object("a", "ua", "1"));
    see(inventory, object("b", "ub", "1"));
    delivered.drain();
    inventory.begin_round();
    see(inventory, object("b", "ub", "1"));
    const PartialIdentity rest{.type = "", .ns = "a", .name = "a", .uid = "ua", .version = "2"};
    CHECK(inventory.seen_unreadable(rest));
    CHECK_FALSE(inventory.seen_unreadable(rest));
    inventory.end_round();
    CHECK(delivered.drain().empty());
    CHECK(inventory.identity_object_of(rest)["metadata"]["name"] == "a");
    PartialIdentity successor = rest;
    successor.uid = "other";
    CHECK(inventory.seen_unreadable(successor));
    CHECK(delivered.drain() == Lines{"gone a/a ua"});
    inventory.gone(rest);  // That one has gone already.
    CHECK(delivered.drain().empty());
    inventory.gone(successor);
    CHECK(delivered.drain() == Lines{"gone a/a other"});
    CHECK(inventory.size() == 1);
}

TEST_CASE("a list that began anew forgets nothing that either attempt has not shown to be gone") {
    Delivered delivered;
    ObjectStore inventory("v1", "Pod", false, delivered.taker());
    inventory.begin_round();
    see(inventory, object("a", "u1", "1"));
    inventory.begin_round();
    see(inventory, object("b", "u2", "1"));
    inventory.end_round();
    CHECK(delivered.drain() == Lines{"seen a/a u1", "seen a/b u2", "gone a/a u1"});
}

TEST_CASE("the same name with another uid is a deletion and a creation") {
    Delivered delivered;
    ObjectStore inventory("v1", "Pod", false, delivered.taker());
    see(inventory, object("a", "old", "5"));
    see(inventory, object("a", "new", "5"));
    CHECK(delivered.drain() == Lines{"seen a/a old", "gone a/a old", "seen a/a new"});
    // The deletion of the earlier one arrives late and must not hit its successor.
    lose(inventory, object("a", "old", "6"));
    CHECK(delivered.drain().empty());
    CHECK(inventory.size() == 1);
}

TEST_CASE("an object in the version that is known already is left out, whatever the version looks like") {
    Delivered delivered;
    ObjectStore inventory("v1", "Pod", false, delivered.taker());
    see(inventory, object("a", "u", "opaque-9"));
    see(inventory, object("a", "u", "opaque-9"));
    see(inventory, object("a", "u", "opaque-10"));
    see(inventory, object("a", "u", "1"));
    CHECK(delivered.drain().size() == 3);
}

TEST_CASE("the deletion of an object that was never seen is no event") {
    Delivered delivered;
    ObjectStore inventory("v1", "Pod", false, delivered.taker());
    lose(inventory, object("a", "u", "1"));
    CHECK(delivered.drain().empty());
}

TEST_CASE("synthetic deletions carry identity, kind and version, and the spec where it is needed") {
    for (const bool keeps_spec : {false, true}) {
        Delivered delivered;
        ObjectStore inventory("echelon.sh/v1alpha1", "Gang", keeps_spec, delivered.taker());
        see(inventory, object("a", "u", "1"));
        inventory.forget_all();
        REQUIRE(delivered.objects.size() == 2);
        const json& last = delivered.objects.back();
        CHECK(last["apiVersion"] == "echelon.sh/v1alpha1");
        CHECK(last["kind"] == "Gang");
        CHECK(last["metadata"] == object("a", "u", "1")["metadata"]);
        CHECK(last.contains("spec") == keeps_spec);
        CHECK(inventory.size() == 0);
    }
}

TEST_CASE("objects of lists get their kind, and cluster-wide ones have no namespace") {
    Delivered delivered;
    ObjectStore inventory("v1", "Node", false, delivered.taker());
    see(inventory, {{"metadata", {{"name", "n1"}, {"uid", "u"}}}});
    inventory.forget_all();
    CHECK(delivered.lines == Lines{"seen /n1 u", "gone /n1 u"});
    CHECK(delivered.objects[0]["kind"] == "Node");
    CHECK_FALSE(delivered.objects[1]["metadata"].contains("namespace"));
}

TEST_CASE("unchanged objects are delivered again on request") {
    Delivered delivered;
    ObjectStore inventory("v1", "Node", false, delivered.taker());
    const json it = {{"metadata", {{"name", "n1"}, {"uid", "u"}, {"resourceVersion", "3"}}}};
    see(inventory, it);
    see(inventory, it);
    inventory.deliver_anew();
    see(inventory, it);
    see(inventory, it);
    CHECK(delivered.lines == Lines{"seen /n1 u", "seen /n1 u"});
}

TEST_CASE("objects without a name or a uid are refused and leave nothing behind") {
    Delivered delivered;
    ObjectStore inventory("v1", "Node", false, delivered.taker());
    for (const char* text : {"{}", R"({"metadata":[]})", R"({"metadata":{"name":"a"}})", R"({"metadata":{"uid":"u"}})",
                             R"({"metadata":{"name":1,"uid":"u"}})"}) {
        CAPTURE(text);
        json it = json::parse(text);
        CHECK_FALSE(inventory.seen(it));
        CHECK_FALSE(inventory.gone(it));
    }
    CHECK(inventory.size() == 0);
    CHECK(delivered.lines.empty());
}

}  // namespace
}  // namespace echelon::kube

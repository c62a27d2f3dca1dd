#include "kube/json/value.hpp"

#include "kube/decode.hpp"
#include "kube/json/quoted_text.hpp"

#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <simdjson.h>

namespace echelon::kube {
namespace {

using nlohmann::json;

// The same value, as simdjson and as nlohmann have parsed it.
struct Both {
    explicit Both(const std::string& text) : tree(json::parse(text)), padded(text) {
        REQUIRE(parser.parse(padded).get(element) == simdjson::SUCCESS);
    }
    json tree;
    simdjson::padded_string padded;
    simdjson::dom::parser parser;
    simdjson::dom::element element;
};

void check_alike(const Value& one, const Value& other) {
    REQUIRE(one.type() == other.type());
    CHECK(one.tree() == other.tree());
    CHECK(shown(one) == shown(other));
    if (one.is_list()) {
        const auto items = one.items();
        const auto others = other.items();
        REQUIRE(items.size() == others.size());
        for (std::size_t i = 0; i < items.size(); ++i)
            check_alike(items[i], others[i]);
    }
    if (!one.is_object())
        return;
    const auto members = one.members();
    const auto others = other.members();
    REQUIRE(members.size() == others.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
        CHECK(members[i].first == others[i].first);
        check_alike(members[i].second, others[i].second);
        check_alike(one.find(members[i].first), other.find(members[i].first));
        CHECK((one.has(members[i].first) && other.has(members[i].first)));
    }
    CHECK((one.find("nothing of the kind").is_null() && other.find("nothing of the kind").is_null()));
    CHECK_FALSE((one.has("nothing of the kind") || other.has("nothing of the kind")));
}

TEST_CASE("a value is the same from either parser") {
    const Both both(
        R"({"z": "a\\u00e9\"", "i": -9223372036854775808, "u": 18446744073709551615, "n": 7, "d": 0.5, "e": 1e3,
        "t": true, "f": false, "nothing": null, "l": [[], {}, [1, "x"], null], "": {"é": "y"}, "a.b/c": {"k": [{"q": 0}]}})");
    check_alike(Value(both.tree), Value(both.element));
    CHECK(Value().is_null());
    CHECK(Value().tree() == json());
}

TEST_CASE("a pod is the same from either parser") {
    const Both both(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ns", "uid": "u",
        "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"echelon.sh/gang": "g", "a": "b"},
        "annotations": {"echelon.sh/gang-minimum": "2"}},
        "spec": {"nodeName": "n", "priority": 7, "nodeSelector": {"b": "2", "a": "1"},
          "schedulingGates": [{"name": "echelon.sh/gang"}],
          "tolerations": [{"operator": "Exists", "key": "k", "effect": "NoExecute"}],
          "containers": [{"name": "c", "resources": {"requests": {"cpu": 0.5, "memory": "1Gi", "nvidia.com/gpu": 2}}}]},
        "status": {"phase": "Running", "containerStatuses": [{"name": "c", "allocatedResources": {"cpu": "1500m"}}]}})");
    const auto one = decode(Value(both.tree), Change::seen);
    const auto other = decode(Value(both.element), Change::seen);
    REQUIRE((one && other));
    const auto& pod = std::get<model::PodSeen>(one->at(0)).pod;
    CHECK(pod == std::get<model::PodSeen>(other->at(0)).pod);
    CHECK(pod.pod_class.requests.of("cpu") == 1500);
    CHECK(pod.membership);
}

TEST_CASE("soundness is judged as the tree is made") {
    for (const std::string text :
         {R"({"a": 1, "b": {"c": 1, "c": 2}})", R"([{"z": 1, "a": 1, "z": 2}])", R"({"": 1, "": 2})"}) {
        CAPTURE(text);
        const simdjson::padded_string padded(text);
        simdjson::dom::parser parser;
        simdjson::dom::element element;
        REQUIRE(parser.parse(padded).get(element) == simdjson::SUCCESS);
        CHECK_FALSE(is_sound(element, 0));
        CHECK(checked_tree(element, 0).error().sentence.ends_with("the key is given twice"));
    }
    std::string many = "{";
    for (int key = 100; key > 0; --key)
        many += "\"k" + std::to_string(key) + "\": 0, ";
    for (const auto& [last, sound] : {std::pair{"\"k0\": 0}", true}, std::pair{"\"k50\": 0}", false}}) {
        const simdjson::padded_string padded(many + last);
        simdjson::dom::parser parser;
        simdjson::dom::element element;
        REQUIRE(parser.parse(padded).get(element) == simdjson::SUCCESS);
        CHECK(is_sound(element, 0) == sound);
        CHECK(checked_tree(element, 0).has_value() == sound);
    }
    const Both deep(std::string(40, '[') + "7" + std::string(40, ']'));
    CHECK(is_sound(deep.element, 24));
    CHECK_FALSE(is_sound(deep.element, 25));
    CHECK(checked_tree(deep.element, 24));
    CHECK_FALSE(checked_tree(deep.element, 25));
}

}  // namespace
}  // namespace echelon::kube

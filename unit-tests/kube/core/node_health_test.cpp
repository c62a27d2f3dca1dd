#include "kube/core/node_health.hpp"

#include "kube/decode.hpp"

#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

model::Node node_under(const NodeHealth& health, const std::string& spec, const std::string& conditions) {
    const auto object = nlohmann::json::parse(R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
        "spec": )" + spec + R"(, "status": {"conditions": )" +
                                              conditions + "}}");
    const auto events = decode(object, Change::seen, {{}, {}, std::make_shared<const NodeHealth>(health)});
    REQUIRE(events);
    return std::get<model::NodeSeen>(events->front()).node;
}

TEST_CASE("a condition makes a node unusable at the status that is named (Z38)") {
    NodeHealth health;
    health.conditions = {*parse_condition("GpuBroken"), *parse_condition("LinkUp=False")};
    const auto reason = [&](const std::string& conditions) {
        const auto node = node_under(health, "{}", conditions);
        CHECK(node.is_usable() == unhealthy_because(node).empty());
        return unhealthy_because(node);
    };
    CHECK(reason(R"([{"type": "Ready", "status": "True"}])").empty());
    CHECK(reason(R"([{"type": "GpuBroken", "status": "True"}])") == "condition GpuBroken");
    CHECK(reason(R"([{"type": "GpuBroken", "status": "False"}, {"type": "LinkUp", "status": "True"}])").empty());
    CHECK(reason(R"([{"type": "LinkUp", "status": "False"}])") == "condition LinkUp is False");
}

TEST_CASE("a taint makes a node unusable, by key, value and effect (Z38)") {
    const auto is_usable = [](const std::string& named, const std::string& taint) {
        NodeHealth health;
        health.taints = {*parse_taint(named)};
        return node_under(health, R"({"taints": [)" + taint + "]}", "[]").is_usable();
    };
    const std::string taint = R"({"key": "a/b", "value": "v", "effect": "PreferNoSchedule"})";
    CHECK_FALSE(is_usable("a/b", taint));
    CHECK_FALSE(is_usable("a/b=v", taint));
    CHECK_FALSE(is_usable("a/b:PreferNoSchedule", taint));
    CHECK_FALSE(is_usable("a/b=v:PreferNoSchedule", taint));
    CHECK(is_usable("a/c", taint));
    CHECK(is_usable("a/b=w", taint));
    CHECK(is_usable("a/b:NoSchedule", taint));
    CHECK(is_usable("a/b=", taint));
}

TEST_CASE("what can't be read is refused with the form that is meant (Z38)") {
    CHECK(parse_condition("GpuBroken=maybe").error().sentence ==
          "must be TYPE or TYPE=STATUS with the status True, False or Unknown, not \"GpuBroken=maybe\"");
    CHECK(parse_taint("a/b:Never").error().sentence ==
          "must be KEY, KEY=VALUE, KEY:EFFECT or KEY=VALUE:EFFECT, not \"a/b:Never\"");
    CHECK_FALSE(parse_condition(""));
    CHECK_FALSE(parse_taint("=v"));
}

}  // namespace
}  // namespace echelon::kube

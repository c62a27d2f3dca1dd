#include "kube/core/priority_class.hpp"

#include "kube/decode.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

TEST_CASE("a priority class is a name for a number") {
    nlohmann::json object{
        {"apiVersion", "scheduling.k8s.io/v1"}, {"kind", "PriorityClass"}, {"metadata", {{"name", "high"}}}};
    CHECK(decode(object, Change::seen).error().sentence == "PriorityClass high: value is missing");
    object["value"] = "7";
    CHECK(decode(object, Change::seen).error().sentence == "PriorityClass high: value: must be an integer, not \"7\"");
    object["value"] = -7;
    const auto events = decode(object, Change::seen);
    REQUIRE(events);
    const auto& seen = std::get<model::PriorityClassSeen>(events->at(0));
    CHECK(seen.name == "high");
    CHECK(seen.value == -7);
    CHECK(seen.preempts);
    CHECK_FALSE(seen.is_default);
    object["globalDefault"] = true;
    CHECK(std::get<model::PriorityClassSeen>(decode(object, Change::seen)->at(0)).is_default);
    object["preemptionPolicy"] = "Never";
    CHECK_FALSE(std::get<model::PriorityClassSeen>(decode(object, Change::seen)->at(0)).preempts);
    object["preemptionPolicy"] = "Maybe";
    CHECK(decode(object, Change::seen).error().sentence ==
          "PriorityClass high: preemptionPolicy: must be Never or PreemptLowerPriority, not \"Maybe\"");
}

}  // namespace
}  // namespace echelon::kube

#pragma once

// How does a test state a running service, and ask it for the plans of gangs that don't exist yet?

#include "app/live_plans.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::app::test {

using PlanCall = server::Backend::PlanCall;
using PlanReply = server::Backend::PlanReply;
using Outcomes = std::vector<std::string>;
using nlohmann::json;

inline model::Node node(const std::string& name, std::int64_t gpus) {
    model::Node node;
    node.name = name;
    node.labels = {{"example.com/rack", "r-" + name}};
    node.allocatable = {{"gpu", gpus}, {"pods", 110}};
    return node;
}

inline model::PodSeen member(const std::string& gang, int number, std::string on = {}) {
    model::Pod pod;
    pod.ns = "default";
    pod.name = fmt::format("{}-{}", gang, number);
    pod.uid = "uid-of-" + pod.name;
    pod.scheduler_name = "ours";
    pod.node = std::move(on);
    pod.pod_class.requests = {{"gpu", 1}, {"pods", 1}};
    pod.membership = model::Membership{{"podgroup", "default/" + gang}, {}, -1, {}};
    return {.pod = std::move(pod)};
}

inline model::GroupSeen group(const std::string& name, std::int64_t minimum) {
    model::Group group;
    group.key = {"podgroup", "default/" + name};
    group.minimum = minimum;
    return {std::move(group)};
}

// A PodGroup and its pods, as somebody would create them.
inline std::string manifest_of(const std::string& gang, int pods, std::string_view more = "",
                               std::string_view scheduler = "ours") {
    auto text = fmt::format(R"(
---
apiVersion: scheduling.k8s.io/v1alpha3
kind: PodGroup
metadata: {{name: {0}}}
spec: {{schedulingPolicy: {{gang: {{minCount: {1}}}}}}}
)",
                            gang, pods);
    for (int pod = 0; pod < pods; ++pod) {
        text += fmt::format(R"(
---
apiVersion: v1
kind: Pod
metadata: {{name: {0}-{1}}}
spec:
  schedulerName: {2}
  schedulingGroup: {{podGroupName: {0}}}
  {3}
  containers: [{{name: main, image: "example.com/main:1", resources: {{requests: {{gpu: "1"}}}}}}]
)",
                            gang, pod, scheduler, more);
    }
    return text;
}

inline engine::Options options() {
    engine::Options options;
    options.profiles["ours"] = {};
    options.settle = engine::Time{0};
    return options;
}

inline engine::RunningState running(std::vector<model::Event> events) {
    return {.options = options(), .events = std::move(events), .ledger = {}, .reservations = {}, .refused_nodes = {}};
}

inline PlanReply planned(engine::RunningState state, const std::string& text, PlanCall call = {}) {
    auto manifests = kube::read_manifest_text(text, "the body");
    REQUIRE_MESSAGE(manifests, (manifests ? "" : manifests.error().sentence));
    return planned_beside(std::move(state), std::move(*manifests), call, "ours", {});
}

inline json gangs_of(const PlanReply& reply) {
    REQUIRE_MESSAGE(reply.status == 200, reply.text);
    return json::parse(reply.text).at("gangs");
}

// "default/job: Placed" or "default/job: NoRoom", in the order of decision.
inline std::vector<std::string> outcomes_of(const PlanReply& reply) {
    std::vector<std::string> outcomes;
    for (const auto& gang : gangs_of(reply)) {
        const std::string reason = gang.at("reason");
        outcomes.push_back(gang.at("gang").get<std::string>() + ": " +
                           (reason.empty() ? gang.at("outcome").get<std::string>() : reason));
    }
    return outcomes;
}

}  // namespace echelon::app::test

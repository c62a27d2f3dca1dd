#pragma once

// How does a test of `echelon plan --preempt` state nodes, gangs and pods in a line each, and read the report?

#include "cli/plan.hpp"
#include "config/settings.hpp"
#include "kube/manifests.hpp"
#include "report/report.hpp"

#include <string>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::cli::testing {

inline std::string node(const std::string& name, const std::string& rack, int gpus) {
    return fmt::format(R"(
apiVersion: v1
kind: Node
metadata: {{name: {}, labels: {{example.com/rack: {}}}}}
status: {{allocatable: {{cpu: "64", gpu: "{}", pods: "110"}}, conditions: [{{type: Ready, status: "True"}}]}}
---)",
                       name, rack, gpus);
}

inline std::string group(const std::string& name, int minimum, int priority, const std::string& more = "") {
    return fmt::format(R"(
apiVersion: scheduling.k8s.io/v1alpha3
kind: PodGroup
metadata: {{name: {0}, creationTimestamp: "2026-01-01T00:00:00Z"}}
spec: {{schedulingPolicy: {{gang: {{minCount: {1}}}}}, priority: {2}, {3}}}
---)",
                       name, minimum, priority, more);
}

inline std::string in_group(const std::string& parent) {
    return fmt::format("parentCompositePodGroupName: {}, workloadRef: {{workloadName: w, templateName: child}}",
                       parent);
}

inline std::string composite(const std::string& name, int minimum, int priority, const std::string& more = "") {
    return fmt::format(R"(
apiVersion: scheduling.k8s.io/v1alpha3
kind: CompositePodGroup
metadata: {{name: {0}, creationTimestamp: "2026-01-01T00:00:00Z"}}
spec: {{schedulingPolicy: {{gang: {{minGroupCount: {1}}}}}, priority: {2}, workloadRef: {{workloadName: w, templateName: {0}}}, {3}}}
---)",
                       name, minimum, priority, more);
}

inline std::string pod(const std::string& name, const std::string& group, int priority, const std::string& on = "",
                       const std::string& labels = "{}", const std::string& more = "") {
    const std::string member = group.empty() ? "" : fmt::format("schedulingGroup: {{podGroupName: {}}}, ", group);
    const std::string bound = on.empty() ? "" : fmt::format("nodeName: {}, ", on);
    return fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: {0}, labels: {4}}}
spec: {{schedulerName: default-scheduler, {1}{2}{6}priority: {3}, containers: [{{name: main, resources: {{requests: {{gpu: "1"}}, limits: {{gpu: "1"}}}}}}]}}
status: {{phase: {5}}}
---)",
                       name, member, bound, priority, labels, on.empty() ? "Pending" : "Running", more);
}

inline std::string wanting(const std::string& name, int pods, int priority, const std::string& more = "") {
    std::string text = group(name, pods, priority, more);
    for (int number = 0; number < pods; ++number)
        text += pod(fmt::format("{}-{}", name, number), name, priority);
    return text;
}

inline report::PlanReport planned(const std::string& text, Preemption preemption = Preemption::on,
                                  bool explains = false, const config::Settings& settings = {}) {
    const auto manifests = kube::read_manifest_text(text, "test");
    REQUIRE_MESSAGE(manifests, (manifests ? "" : manifests.error().sentence));
    auto report = decide(manifests->events, settings, {}, explains, preemption);
    REQUIRE_MESSAGE(report, (report ? "" : report.error().sentence));
    return std::move(*report);
}

inline std::string victims_of(const report::GangReport& gang) {
    std::string names;
    for (const auto& victim : gang.victims)
        names += (names.empty() ? "" : " ") + victim.pod;
    return names;
}

}  // namespace echelon::cli::testing

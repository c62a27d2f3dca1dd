#include "kube/core/node_decoder.hpp"

#include "kube/core/pod_constraints.hpp"
#include "kube/core/pod_requests.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace echelon::kube {

namespace {

std::vector<model::Taint> read_taints(const Field& taints) {
    std::vector<model::Taint> out;
    for (const Field& taint : taints.items()) {
        const std::optional<model::TaintEffect> effect = read_effect(taint);
        if (!taint.has("effect"))
            taint.fault().note_missing(taint.path() + ".effect");
        out.push_back({.key = taint.required_text("key"),
                       .value = taint.text("value"),
                       .effect = effect.value_or(model::TaintEffect::no_schedule)});
    }
    std::ranges::sort(out);
    return out;
}

bool is_ready(const Field& conditions) {
    for (const Field& condition : conditions.items()) {
        if (condition.text("type") == "Ready")
            return condition.text("status") == "True";
    }
    return true;
}

}  // namespace

model::Node read_node(const Field& object, const Metadata& metadata) {
    const Field spec = object.at("spec");
    const Field status = object.at("status");
    model::Node node{.name = metadata.name,
                     .uid = metadata.uid,
                     .labels = metadata.labels.texts(),
                     .annotations = {},
                     // The API server sets allocatable to the capacity where the kubelet states none.
                     .allocatable = read_amounts(status.at(status.has("allocatable") ? "allocatable" : "capacity")),
                     .taints = read_taints(spec.at("taints")),
                     .ready = is_ready(status.at("conditions")),
                     .unschedulable = spec.flag("unschedulable", false),
                     .deleting = metadata.deleting};
    if (std::string instance = metadata.annotations.text(model::instance_annotation); !instance.empty()) {
        node.annotations.emplace(model::instance_annotation, std::move(instance));
    }
    return node;
}

}  // namespace echelon::kube

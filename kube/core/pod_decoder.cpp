#include "kube/core/pod_decoder.hpp"

#include "kube/core/device_decoder.hpp"
#include "kube/core/pod_constraints.hpp"
#include "kube/core/pod_requests.hpp"
#include "kube/core/pod_terms.hpp"
#include "kube/core/priority_class.hpp"
#include "kube/core/protection.hpp"
#include "kube/json/quoted_text.hpp"
#include "kube/membership.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

using model::Pod;
using model::PodPhase;

constexpr std::string_view default_scheduler = "default-scheduler";
constexpr Bound toleration_bound{128, "tolerations that one pod may have"};
constexpr std::string_view plan_annotation = "echelon.sh/plan";

PodPhase read_phase(const Field& status) {
    const std::string phase = status.text("phase");
    if (phase.empty() || phase == "Pending")
        return PodPhase::pending;
    if (phase == "Running")
        return PodPhase::running;
    if (phase == "Succeeded")
        return PodPhase::succeeded;
    if (phase == "Failed")
        return PodPhase::failed;
    if (phase != "Unknown")
        status.wrong("phase", fmt::format("{} isn't a phase of a pod", shown(phase)));
    return PodPhase::unknown;
}

std::vector<std::string> read_gates(const Field& spec) {
    std::vector<std::string> out;
    for (const Field& gate : spec.at("schedulingGates").items())
        out.push_back(gate.required_text("name"));
    return out;
}

// Until the kubelet has set a start a deadline counts from the binding, which sets the condition. A pod that was
// created on its node has no such condition.
std::int64_t time_of_binding(const Field& status, const Pod& pod) {
    for (const Field& condition : status.at("conditions").items()) {
        if (condition.text("type") == "PodScheduled" && condition.text("status") == "True")
            return condition.seconds("lastTransitionTime");
    }
    return pod.created;
}

// A pod without the condition is not known to be unready.
bool is_unready(const Field& status) {
    for (const Field& condition : status.at("conditions").items()) {
        if (condition.text("type") == "Ready")
            return condition.text("status") != "True";
    }
    return false;
}

// When the last container of a succeeded pod ended.
std::int64_t end_of(const Field& status) {
    std::int64_t end = 0;
    for (const Field& container : status.at("containerStatuses").items())
        end = std::max(end, container.at("state").at("terminated").seconds("finishedAt"));
    return end;
}

std::string job_of(const Field& object) {
    for (const Field& owner : object.at("metadata").at("ownerReferences").items()) {
        if (owner.text("kind") == "Job" && owner.flag("controller", false))
            return owner.text("uid");
    }
    return {};
}

// Groups that a pod declares have its age; the oldest pod counts (Z13). Set here, so that the model needn't copy them.
void date_declared(model::Pod& pod) {
    std::vector<model::Group>& declared = pod.membership->declared.edit();
    for (model::Group& group : declared)
        group.created = pod.created;
    declared.shrink_to_fit();
}

}  // namespace

model::PodClass read_pod_class(const Field& object) {
    const Field spec = object.at("spec");
    model::PodClass pod_class;
    PodRequests requests = pod_requests(object);
    pod_class.requests = std::move(requests.effective);
    pod_class.alignment = std::move(requests.alignment);
    pod_class.node_selector = spec.at("nodeSelector").texts();
    pod_class.node_affinity = read_node_affinity(spec);
    pod_class.tolerations = read_tolerations(spec, toleration_bound);
    return pod_class;
}

void read_late_template(const Field& pod_template, model::Group& group) {
    group.late_pod_class = read_pod_class(pod_template);
    group.late_claims = read_pod_claims(pod_template);
}

Pod read_pod(const Field& object, const Metadata& metadata, UnservedKinds unserved) {
    const Field spec = object.at("spec");
    const Field status = object.at("status");
    Pod pod;
    pod.ns = metadata.ns;
    pod.name = metadata.name;
    pod.uid = metadata.uid.empty() ? pod.full_name() : metadata.uid;
    pod.scheduler_name = spec.text("schedulerName");
    if (pod.scheduler_name.empty())
        pod.scheduler_name = default_scheduler;
    pod.node = spec.text("nodeName");
    pod.nominated_node = status.text("nominatedNodeName");
    pod.phase = read_phase(status);
    pod.deleting = metadata.deleting;
    pod.pod_class = read_pod_class(object);
    read_pod_terms(spec, metadata.labels, pod);
    pod.gates = read_gates(spec);
    pod.priority = spec.integer("priority", least_int32, most_int32).value_or(0);
    pod.preempts = read_preempts(spec).value_or(true);
    pod.is_of_node = is_pod_of_node(object, metadata);
    pod.is_protected = pod.is_of_node || is_marked_protected(metadata);
    pod.is_unready = pod.occupies() && is_unready(status);
    pod.created = metadata.created;
    pod.started = status.seconds("startTime");
    pod.active_deadline =
        spec.integer("activeDeadlineSeconds", 1, std::numeric_limits<std::int64_t>::max()).value_or(0);
    if (pod.started == 0 && pod.active_deadline > 0 && !pod.node.empty())
        pod.started = time_of_binding(status, pod);
    if (pod.phase == PodPhase::succeeded)
        pod.ended = end_of(status);
    pod.job = job_of(object);
    pod.membership = read_membership(object, metadata, unserved);
    if (pod.membership)
        date_declared(pod);
    pod.plan = metadata.annotations.text(plan_annotation);
    return pod;
}

}  // namespace echelon::kube

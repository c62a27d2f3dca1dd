#include "app/admission.hpp"

#include "kube/json/compact_text.hpp"
#include "kube/json/field.hpp"
#include "kube/json/packed_text.hpp"
#include "kube/json/splitter.hpp"
#include "kube/membership.hpp"
#include "model/facts/pod.hpp"
#include "translate/targets.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace echelon::app {

namespace {

using nlohmann::json;

constexpr std::string_view review_version = "admission.k8s.io/v1";
constexpr std::string_view default_scheduler = "default-scheduler";

bool is_of_kind(const kube::Field& request, std::string_view group, std::string_view kind) {
    const kube::Field named = request.at("kind");
    return named.text("group") == group && named.text("kind") == kind && request.text("subResource").empty();
}

bool is_new_pod(const kube::Field& request) {
    return request.text("operation") == "CREATE" && is_of_kind(request, "", "Pod");
}

bool has_our_gate(const kube::Field& spec) {
    return std::ranges::any_of(spec.at("schedulingGates").items(),
                               [](const kube::Field& gate) { return gate.text("name") == model::gang_gate; });
}

// True if a pod of our profiles names a group, has no node yet, and lacks the gate. A faulty pod is reported when the
// watch sees it.
bool wants_gate(const kube::Field& pod, const std::string& ns,
                const std::function<bool(std::string_view scheduler_name)>& is_ours, kube::UnservedKinds unserved) {
    const kube::Field spec = pod.at("spec");
    const auto scheduler = spec.text("schedulerName");
    if (!is_ours(scheduler.empty() ? default_scheduler : std::string_view(scheduler)))
        return false;
    if (!spec.text("nodeName").empty() || has_our_gate(spec))
        return false;
    kube::Metadata metadata = kube::read_metadata(pod, kube::Scope::namespaced);
    if (!ns.empty())
        metadata.ns = ns;
    return kube::read_membership(pod, metadata, unserved).has_value();
}

json patch_for(const kube::Field& spec) {
    const json gate = {{"name", model::gang_gate}};
    if (spec.has("schedulingGates") && spec.at("schedulingGates").exists())
        return json::array({{{"op", "add"}, {"path", "/spec/schedulingGates/-"}, {"value", gate}}});
    return json::array({{{"op", "add"}, {"path", "/spec/schedulingGates"}, {"value", json::array({gate})}}});
}

// True if a pod of Grove is meant for the backend. The pod names it, or the pod names no scheduler and its PodGang does
// (Z29).
bool is_for_koordinator(const kube::Field& pod, const std::string& ns, const translate::KoordinatorBackend& backend,
                        const SchedulerOf& scheduler_of) {
    const kube::Field metadata = pod.at("metadata");
    const std::string gang = metadata.at("labels").text("grove.io/podgang");
    if (gang.empty() || metadata.at("labels").text("grove.io/podclique").empty())
        return false;
    const std::string named = pod.at("spec").text("schedulerName");
    if (named == backend.scheduler_name)
        return true;
    if ((!named.empty() && named != default_scheduler) || !pod.at("spec").text("nodeName").empty() || !scheduler_of)
        return false;
    return scheduler_of(ns.empty() ? metadata.text("namespace") : ns, gang) == backend.scheduler_name;
}

// Adds the backend's schedulerName, the PodGroup label, and the QoS class if the pod names none.
json patch_for_koordinator(const kube::Field& pod, const translate::KoordinatorBackend& backend) {
    json patch = json::array();
    const kube::Field labels = pod.at("metadata").at("labels");
    const std::string gang = labels.text("grove.io/podgang");
    const std::string clique = labels.text("grove.io/podclique");
    if (pod.at("spec").text("schedulerName") != backend.scheduler_name)
        patch.push_back({{"op", "add"}, {"path", "/spec/schedulerName"}, {"value", backend.scheduler_name}});
    const auto add = [&patch](std::string_view path, const std::string& value) {
        patch.push_back({{"op", "add"}, {"path", fmt::format("/metadata/labels/{}", path)}, {"value", value}});
    };
    if (const std::string name = translate::koordinator_name(gang, clique);
        labels.text(translate::koordinator_pod_label) != name)
        add(translate::koordinator_pod_label, name);
    if (!backend.qos_class.empty() && labels.text(translate::koordinator_qos_label).empty())
        add("koordinator.sh~1qosClass", backend.qos_class);  // As JSON pointers spell a slash.
    return patch;
}

// Faults of a set that this request adds.
std::vector<std::string> new_violations(const kube::Field& request, const translate::KoordinatorBackend& backend) {
    const std::string operation = request.text("operation");
    if (operation != "CREATE" && operation != "UPDATE")
        return {};
    std::vector<std::string> now = translate::violations_of(request.at("object"), backend);
    if (operation == "UPDATE") {
        const std::vector<std::string> before = translate::violations_of(request.at("oldObject"), backend);
        std::erase_if(now, [&](const auto& each) { return std::ranges::find(before, each) != before.end(); });
    }
    return now;
}

json patch_of(const kube::Field& request, const std::function<bool(std::string_view scheduler_name)>& is_ours,
              const std::optional<translate::KoordinatorBackend>& backend, kube::UnservedKinds unserved,
              const SchedulerOf& scheduler_of) {
    const kube::Field pod = request.at("object");
    if (!is_new_pod(request) || !pod.exists())
        return json::array();
    const std::string ns = request.text("namespace");
    if (backend && is_for_koordinator(pod, ns, *backend, scheduler_of))
        return patch_for_koordinator(pod, *backend);
    return wants_gate(pod, ns, is_ours, unserved) ? patch_for(pod.at("spec")) : json::array();
}

}  // namespace

base::Result<std::string> admit(std::string_view review,
                                const std::function<bool(std::string_view scheduler_name)>& is_ours,
                                const std::optional<translate::KoordinatorBackend>& backend,
                                kube::UnservedKinds unserved, const SchedulerOf& scheduler_of) {
    const auto parsed = kube::parse_object(review);
    if (!parsed)
        return base::failure("AdmissionReview: " + parsed.error().sentence);
    kube::FieldFault fault;
    const kube::Field root(*parsed, fault);
    const kube::Field request = root.at("request");
    const auto uid = request.required_text("uid");
    if (root.text("apiVersion") != review_version || root.text("kind") != "AdmissionReview")
        return base::failure("AdmissionReview: apiVersion must be admission.k8s.io/v1 and kind AdmissionReview");
    if (fault.found())
        return base::failure("AdmissionReview: " + fault.sentence());
    json response = {{"uid", uid}, {"allowed", true}};
    if (const json patch = patch_of(request, is_ours, backend, unserved, scheduler_of); !patch.empty()) {
        response["patchType"] = "JSONPatch";
        response["patch"] = kube::encode_base64(patch.dump());
    }
    if (backend && is_of_kind(request, "grove.io", "PodCliqueSet")) {
        if (const auto violations = new_violations(request, *backend); !violations.empty()) {
            response["allowed"] = false;
            response["status"] = {
                {"code", 422}, {"reason", "Invalid"}, {"message", fmt::format("{}", fmt::join(violations, "; "))}};
        }
    }
    const json answer = {
        {"apiVersion", review_version}, {"kind", "AdmissionReview"}, {"response", std::move(response)}};
    return kube::compact_text(answer);
}

}  // namespace echelon::app

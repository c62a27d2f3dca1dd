#include "translate/translation.hpp"

#include "kube/dialects/gang_object.hpp"
#include "kube/dialects/kai.hpp"
#include "kube/dialects/koordinator.hpp"
#include "kube/dialects/kueue.hpp"
#include "kube/dialects/label_gang.hpp"
#include "kube/dialects/leader_worker_set.hpp"
#include "kube/dialects/scheduler_plugins.hpp"
#include "kube/dialects/volcano.hpp"
#include "kube/json/foreign_json.hpp"
#include "kube/topology/topology_object.hpp"
#include "translate/targets.hpp"

#include <array>

namespace echelon::translate {

namespace {

using nlohmann::json;

constexpr std::array own_labels = {"echelon.sh/gang",
                                   "echelon.sh/group",
                                   "echelon.sh/replica",
                                   "grove.io/podgang",
                                   "grove.io/podclique",
                                   "kai.scheduler/subgroup-name",
                                   "scheduling.x-k8s.io/pod-group",
                                   "pod-group.scheduling.sigs.k8s.io",
                                   "pod-group.scheduling.sigs.k8s.io/name",
                                   "pod-group.scheduling.sigs.k8s.io/min-available"};
constexpr std::array own_annotations = {"echelon.sh/gang-minimum",
                                        "echelon.sh/group-minimum",
                                        "echelon.sh/gang-required-topology",
                                        "echelon.sh/group-required-topology",
                                        "echelon.sh/gang-preferred-topology",
                                        "echelon.sh/group-preferred-topology",
                                        "echelon.sh/gang-paired-topology",
                                        "echelon.sh/group-max-per-domain",
                                        "pod-group-name",
                                        "scheduling.k8s.io/group-name",
                                        "scheduling.volcano.sh/group-name",
                                        "gang.scheduling.koordinator.sh/name",
                                        "gang.scheduling.koordinator.sh/min-available",
                                        "gang.scheduling.koordinator.sh/total-number",
                                        "gang.scheduling.koordinator.sh/groups",
                                        "gang.scheduling.koordinator.sh/mode",
                                        "gang.scheduling.koordinator.sh/match-policy",
                                        "pod-group.scheduling.sigs.k8s.io/match-policy",
                                        "gang.scheduling.koordinator.sh/waiting-time",
                                        "gang.scheduling.koordinator.sh/network-topology-spec",
                                        "kueue.x-k8s.io/podset-group-name",
                                        "kueue.x-k8s.io/podset-preferred-topology",
                                        "kueue.x-k8s.io/podset-required-topology",
                                        "kueue.x-k8s.io/podset-slice-required-topology",
                                        "kueue.x-k8s.io/podset-slice-required-topology-constraints",
                                        "kueue.x-k8s.io/podset-slice-size",
                                        "kueue.x-k8s.io/podset-unconstrained-topology"};

// Removes `old` from the object at `key` and adds `added`; an empty object is removed.
template <typename Keys>
void exchange(json& metadata, const char* key, const Keys& old, const std::map<std::string, std::string>& added) {
    const json* there = kube::part_of(metadata, key);
    json texts = there == nullptr ? json::object() : *there;
    if (!texts.is_object())
        return;
    for (const char* name : old)
        texts.erase(name);
    texts.update(json(added));
    if (texts.empty()) {
        metadata.erase(key);
    } else {
        metadata[key] = std::move(texts);
    }
}

// No other scheduler removes echelon's gate.
void drop_own_gate(json& spec) {
    json gates = json::array();
    const json* there = kube::part_of(spec, "schedulingGates");
    for (const json& gate : there == nullptr ? json::array() : *there) {
        if (kube::text_in(gate, "name") != model::gang_gate)
            gates.push_back(gate);
    }
    if (gates.empty()) {
        spec.erase("schedulingGates");
    } else {
        spec["schedulingGates"] = std::move(gates);
    }
}

// The API group of the objects, or group and version.
std::string_view api_of(Dialect target) {
    switch (target) {
        case Dialect::echelon:
            return kube::own_group;
        case Dialect::koordinator:
            return kube::koordinator_group;
        case Dialect::volcano:
            return kube::volcano_group;
        case Dialect::kai:
            return kube::kai_group;
        case Dialect::scheduler_plugins:
            return kube::scheduler_plugins_group;
        case Dialect::grove:
            return "scheduler.grove.io";
        case Dialect::kueue:
            return kube::kueue_group;
        case Dialect::leader_worker_set:
            return kube::leader_worker_set_group;
        case Dialect::kubernetes_1_35:
            return "scheduling.k8s.io/v1alpha1";
        case Dialect::kubernetes_1_36:
            return "scheduling.k8s.io/v1alpha2";
        case Dialect::kubernetes_1_37:
            return "scheduling.k8s.io/v1alpha3";
    }
    return {};
}

}  // namespace

Translation translate(const model::GangFacts& facts, Dialect target, const TranslationOptions& options,
                      const TranslationTarget& known) {
    switch (target) {
        case Dialect::echelon:
            return to_echelon(facts);
        case Dialect::koordinator:
            return to_koordinator(facts, options, known);
        case Dialect::volcano:
            return to_volcano(facts, known);
        case Dialect::kai:
            return to_kai(facts, known);
        case Dialect::scheduler_plugins:
            return to_scheduler_plugins(facts);
        case Dialect::grove:
            return to_grove(facts);
        case Dialect::kueue:
            return to_kueue(facts);
        case Dialect::leader_worker_set:
            return to_leader_worker_set(facts);
        case Dialect::kubernetes_1_35:
        case Dialect::kubernetes_1_36:
        case Dialect::kubernetes_1_37:
            return to_kubernetes(facts, target);
    }
    return {};
}

std::optional<Layers> layers_of(const model::Topology& topology) {
    if (topology.api_kind != kube::koordinator_topology.full_name() || topology.name != "default")
        return std::nullopt;
    Layers layers;
    for (const auto& key : topology.levels) {
        const auto labels = topology.labels.find(key);
        const auto of_level = labels == topology.labels.end()
                                  ? std::set<std::string>{key}
                                  : std::set<std::string>(labels->second.begin(), labels->second.end());
        for (const auto& [alias, aliased] : topology.aliases) {
            if (aliased == key)
                layers.push_back({.name = alias, .labels = of_level});
        }
    }
    return layers;
}

bool is_own_version(Dialect target, std::string_view api_version) {
    const std::string_view own = api_of(target);
    if (own.find('/') == std::string_view::npos)
        return api_version.substr(0, api_version.find('/')) == own;
    // For a gang with a single group.
    return api_version == own || (target == Dialect::kubernetes_1_37 && api_version == "scheduling.k8s.io/v1beta1");
}

std::string_view usual_scheduler_of(Dialect target) {
    switch (target) {
        case Dialect::echelon:
            return "echelon-scheduler";
        case Dialect::koordinator:
            return "koord-scheduler";
        case Dialect::volcano:
            return "volcano";
        case Dialect::kai:
            return "kai-scheduler";
        case Dialect::scheduler_plugins:
            return "scheduler-plugins-scheduler";
        case Dialect::grove:
            return "kai-scheduler";
        case Dialect::kueue:
        case Dialect::leader_worker_set:
        case Dialect::kubernetes_1_35:
        case Dialect::kubernetes_1_36:
        case Dialect::kubernetes_1_37:
            return "default-scheduler";
    }
    return {};
}

json repatched_pod(json pod, const PodMembershipPatch& marks, std::string_view scheduler) {
    json& metadata = pod["metadata"];
    exchange(metadata, "labels", own_labels, marks.labels);
    exchange(metadata, "annotations", own_annotations, marks.annotations);
    metadata.erase("managedFields");
    json& spec = pod["spec"];
    if (spec.is_null())
        spec = json::object();
    spec.erase("schedulingGroup");
    spec.erase("workloadRef");
    spec.merge_patch(marks.spec);
    spec["schedulerName"] = scheduler;
    if (!marks.labels.contains(std::string(kube::gang_label)))
        drop_own_gate(spec);
    return pod;
}

}  // namespace echelon::translate

// What each decoder bounds: pods, nodes, topologies, and the rest.

#include "unit-tests/kube/bounds_rows.hpp"

namespace echelon::kube::hostile {

namespace {

using Rows = std::vector<Row>;

const std::string of_entries = "more than the 4096 entries that one list or map may have";
const std::string of_bytes = "bytes are more than the 317 bytes that a name or key may have";
const std::string of_text =
    "bytes are more than the 65536 bytes of an annotation that is parsed (limits.annotationBytes)";

const json in_gang = {{"echelon.sh/gang", "a"}};
const json with_minimum = {{"echelon.sh/gang-minimum", "1"}};

json member(json spec) {
    return pod(with_minimum, in_gang, std::move(spec));
}

json container(const char* key, json amounts) {
    return {{"name", "c"}, {"resources", {{key, std::move(amounts)}}}};
}

// A gang of Koordinator that its pods alone declare.
json koordinator_pod(const char* key, const std::string& value) {
    const std::string prefix = "gang.scheduling.koordinator.sh/";
    return pod({{prefix + "name", "a"}, {prefix + "min-available", "1"}, {prefix + key, value}});
}

Rows pod_rows() {
    const std::string kind = "Pod.";
    const std::string key = "one of its pods: metadata.annotations[\"";
    const auto tolerations = [](std::int64_t n) {
        return list(n, [](std::int64_t at) { return json{{"key", std::to_string(at)}, {"operator", "Exists"}}; });
    };
    const std::string of_requirements = "more than the 128 terms or requirements that a node selector may have";
    const auto node_affinity = [](std::int64_t terms, std::int64_t requirements) {
        const auto requirement = [](std::int64_t at) {
            return json{{"key", std::to_string(at)}, {"operator", "Exists"}};
        };
        const auto term = [=](std::int64_t) { return json{{"matchExpressions", list(requirements, requirement)}}; };
        return json{
            {"affinity",
             {{"nodeAffinity",
               {{"requiredDuringSchedulingIgnoredDuringExecution", {{"nodeSelectorTerms", list(terms, term)}}}}}}}};
    };
    const auto terms = [](std::int64_t n) {
        const auto one = [](std::int64_t at) {
            return json{{"topologyKey", "kubernetes.io/hostname"},
                        {"labelSelector", {{"matchLabels", {{"job", std::to_string(at)}}}}}};
        };
        return json{{"requiredDuringSchedulingIgnoredDuringExecution", list(n, one)}};
    };
    return {
        {"resource names", kind,
         [](std::int64_t n) { return member({{"containers", {container("requests", map(n, "1"))}}}); }, 64, 9'000,
         "requests: 65 is more than the 64 resource names that one pod may have (limits.resources)"},
        {"resource names of many containers", kind,
         [](std::int64_t n) {
             const auto one = [](std::int64_t at) {
                 return container("limits", {{"k" + std::to_string(at), "1"}, {"cpu", "1"}});
             };
             return member({{"containers", list(n, one)}});
         },
         64, 9'000, "is more than the 64 resource names that one pod may have (limits.resources)"},
        {"tolerations", kind, [=](std::int64_t n) { return member({{"tolerations", tolerations(n)}}); }, 128, 20'000,
         "one of its pods: spec.tolerations: 129 entries are more than the 128 tolerations that one pod may have"},
        {"terms of node affinity", kind, [=](std::int64_t n) { return member(node_affinity(n, 1)); }, 128, 4'000,
         "one of its pods: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
         "nodeSelectorTerms: 129 entries are " +
             of_requirements},
        {"requirements of node affinity", kind, [=](std::int64_t n) { return member(node_affinity(1, n)); }, 128, 4'000,
         "nodeSelectorTerms: 129 is " + of_requirements},
        {"nodeSelector", kind, [](std::int64_t n) { return member({{"nodeSelector", map(n, "v")}}); }, 4096, 20'000,
         "one of its pods: spec.nodeSelector: 4097 entries are " + of_entries},
        {"scheduling gates", kind, [](std::int64_t n) { return member({{"schedulingGates", named(n)}}); }, 4096, 20'000,
         "one of its pods: spec.schedulingGates: 4097 entries are " + of_entries},
        {"terms of pod anti-affinity", kind,
         [=](std::int64_t n) { return member({{"affinity", {{"podAntiAffinity", terms(n)}}}}); }, 64, 4'000,
         "one of its pods: spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution: 65 entries "
         "are more than the 64 terms that required pod affinity or anti-affinity may have"},
        {"terms of pod affinity", kind,
         [=](std::int64_t n) { return member({{"affinity", {{"podAffinity", terms(n)}}}}); }, 64, 4'000,
         "one of its pods: spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution: 65 entries are "
         "more than the 64 terms that required pod affinity or anti-affinity may have"},
        {"gang-minimum", kind,
         [](std::int64_t n) { return pod({{"echelon.sh/gang-minimum", std::to_string(n)}}, in_gang); }, 20'000,
         2147483647,
         "the annotation echelon.sh/gang-minimum: 20001 is more than the 20000 members that a gang may have "
         "(limits.members)"},
        {"text of a level", kind,
         [](std::int64_t n) {
             json annotations = with_minimum;
             annotations["echelon.sh/gang-required-topology"] = text(n - 64) + "/" + text(63);
             return pod(annotations, in_gang);
         },
         317, 260'000, key + "echelon.sh/gang-required-topology\"]: 318 " + of_bytes},
        {"a gang's name in an annotation", kind, [](std::int64_t n) { return pod({{"pod-group-name", text(n)}}); }, 317,
         260'000, "metadata.annotations.pod-group-name: 318 " + of_bytes},
        {"text of Koordinator's groups", kind,
         [](std::int64_t n) { return koordinator_pod("groups", "[]" + text(n - 2, ' ')); }, 65'536, 260'000,
         key + "gang.scheduling.koordinator.sh/groups\"]: 65537 " + of_text},
        {"open brackets in Koordinator's groups", kind,
         [](std::int64_t n) { return koordinator_pod("groups", n == 1 ? "[]" : text(n, '[')); }, 1, 260'000, "groups"},
        {"nesting of Koordinator's network-topology-spec", kind,
         [](std::int64_t n) { return koordinator_pod("network-topology-spec", "{\"x\":" + nest(n - 1) + "}"); }, 16,
         30'000, "nests deeper than 16 levels (limits.annotationDepth)"},
    };
}

json node(json labels, json allocatable) {
    json out = object("v1", "Node", json::object());
    out["metadata"]["labels"] = std::move(labels);
    out["status"]["allocatable"] = std::move(allocatable);
    return out;
}

Rows node_rows() {
    return {
        {"labels", "Node.", [](std::int64_t n) { return node(map(n, "v"), {{"cpu", "1"}}); }, 4096, 20'000,
         "metadata.labels: 4097 entries are " + of_entries},
        {"allocatable", "Node.", [](std::int64_t n) { return node(json::object(), map(n, "1")); }, 4096, 20'000,
         "status.allocatable: 4097 entries are " + of_entries},
        {"a label's value", "Node.", [](std::int64_t n) { return node({{"a", text(n)}}, {{"cpu", "1"}}); }, 317,
         1'000'000, "metadata.labels.a: 318 " + of_bytes},
    };
}

json levels_of(const char* key, std::int64_t size) {
    return list(size, [=](std::int64_t at) {
        const std::string name = "k" + std::to_string(at);
        return json{{key, name}, {"domain", "d" + name}};
    });
}

Rows topology_rows() {
    const auto with_levels = [](const char* api, const char* kind, const char* key) {
        return [=](std::int64_t n) { return object(api, kind, {{"levels", levels_of(key, n)}}); };
    };
    const std::string sentence = "spec.levels";
    Rows rows = {
        {"levels", "Topology.kueue.x-k8s.io", with_levels("kueue.x-k8s.io/v1beta1", "Topology", "nodeLabel"), 16,
         20'000, sentence},
        {"levels", "Topology.kai.scheduler", with_levels("kai.scheduler/v1alpha1", "Topology", "nodeLabel"), 16, 20'000,
         sentence},
        {"levels", "ClusterTopologyBinding.grove.io", with_levels("grove.io/v1alpha1", "ClusterTopologyBinding", "key"),
         16, 20'000, sentence},
        {"levels", "ClusterTopology.grove.io", with_levels("grove.io/v1alpha1", "ClusterTopology", "key"), 16, 20'000,
         sentence},
    };
    rows.push_back({"labels of a layer", "ClusterNetworkTopology.scheduling.koordinator.sh",
                    [](std::int64_t n) {
                        const json labels = list(n, [](auto at) { return json("k" + std::to_string(at)); });
                        json out = object("scheduling.koordinator.sh/v1alpha1", "ClusterNetworkTopology",
                                          {{"networkTopologySpec", {{{"topologyLayer", "a"}, {"labelKey", labels}}}}});
                        out["metadata"]["name"] = "default";
                        return out;
                    },
                    4096, 20'000, "spec.networkTopologySpec[0].labelKey: 4097 entries are " + of_entries});
    return rows;
}

json hypernode(json members) {
    return object("topology.volcano.sh/v1alpha1", "HyperNode", {{"tier", 1}, {"members", std::move(members)}});
}

json pattern(const std::string& text) {
    return {{"type", "Node"}, {"selector", {{"regexMatch", {{"pattern", text}}}}}};
}

Rows hypernode_rows() {
    const std::string kind = "HyperNode.topology.volcano.sh";
    model::Limits few;
    few.topology_nodes = 1'000;
    return {
        {"members", kind,
         [](std::int64_t n) {
             const auto exact = [](std::int64_t at) {
                 return json{{"type", "Node"}, {"selector", {{"exactMatch", {{"name", std::to_string(at)}}}}}};
             };
             return hypernode(list(n, exact));
         },
         1'000, 20'000,
         "spec.members: 1001 entries are more than the 1000 nodes that one topology object may have "
         "(limits.topologyNodes)",
         few},
        {"patterns", kind,
         [](std::int64_t n) {
             return hypernode(list(n, [](std::int64_t at) { return pattern("^n(o|d|e){9}-" + std::to_string(at)); }));
         },
         32, 5'000, "may take more than the 8388608 bytes that they may take together (limits.patternBytes)"},
        {"a pattern's program", kind,
         [](std::int64_t n) { return hypernode({pattern("^(" + text(8) + "){" + std::to_string(n) + "}$")}); }, 36,
         1'000, ""},
        {"text of a pattern", kind, [](std::int64_t n) { return hypernode({pattern(text(n))}); }, 100, 1'000'000, ""},
    };
}

json plan(json status) {
    json out = object("echelon.sh/v1alpha1", "GangPlan", {{"root", {{"kind", "podgroup"}, {"name", "a"}}}});
    out["status"] = std::move(status);
    return out;
}

json budget(std::int64_t labels) {
    json out = object("policy/v1", "PodDisruptionBudget", {{"selector", {{"matchLabels", map(labels, "v")}}}});
    out["status"] = {{"disruptionsAllowed", 1}};
    return out;
}

json of_devices(const std::string& kind, json spec) {
    return object("resource.k8s.io/v1", kind, std::move(spec));
}

json slice(json devices) {
    return of_devices("ResourceSlice", {{"driver", "d"},
                                        {"nodeName", "n"},
                                        {"pool", {{"name", "p"}, {"generation", 1}, {"resourceSliceCount", 1}}},
                                        {"devices", std::move(devices)}});
}

json request(json exactly) {
    exactly["deviceClassName"] = "c";
    return {{"name", "r"}, {"exactly", std::move(exactly)}};
}

json claim(json requests) {
    return of_devices("ResourceClaim", {{"devices", {{"requests", std::move(requests)}}}});
}

json selectors(std::int64_t n) {
    return list(n, [](auto) { return json{{"cel", {{"expression", "true"}}}}; });
}

Rows device_rows() {
    const std::string of_slice = "ResourceSlice.resource.k8s.io";
    const std::string of_claim = "ResourceClaim.resource.k8s.io";
    const std::string of_devices_of_slice = "more than the 4096 devices that one slice may have";
    return {
        {"devices", of_slice, [](std::int64_t n) { return slice(named(n)); }, 4096, 20'000,
         "spec.devices: 4097 entries are " + of_devices_of_slice},
        {"attributes", of_slice,
         [](std::int64_t n) { return slice({{{"name", "a"}, {"attributes", map(n, json{{"int", 1}})}}}); }, 4096,
         20'000, "spec.devices[0].attributes: 4097 entries are " + of_entries},
        {"capacity", of_slice,
         [](std::int64_t n) { return slice({{{"name", "a"}, {"capacity", map(n, json{{"value", "1"}})}}}); }, 4096,
         20'000, "spec.devices[0].capacity: 4097 entries are " + of_entries},
        {"taints", of_slice,
         [](std::int64_t n) {
             const auto taint = [](auto) { return json{{"key", "k"}, {"effect", "NoSchedule"}}; };
             return slice({{{"name", "a"}, {"taints", list(n, taint)}}});
         },
         4096, 20'000, "spec.devices[0].taints: 4097 entries are " + of_entries},
        {"counter sets", of_slice,
         [](std::int64_t n) {
             json out = slice(json::array());
             out["spec"]["sharedCounters"] = named(n);
             return out;
         },
         256, 20'000,
         "spec.sharedCounters: 257 entries are more than the 256 counter sets that one device or slice may name"},
        {"counters", of_slice,
         [](std::int64_t n) {
             json consumed = {{{"counterSet", "s"}, {"counters", map(n, json{{"value", "1"}})}}};
             return slice({{{"name", "a"}, {"consumesCounters", std::move(consumed)}}});
         },
         4096, 20'000, "spec.devices[0].consumesCounters[0].counters: 4097 entries are " + of_entries},
        {"a driver", "DeviceTaintRule.resource.k8s.io",
         [](std::int64_t n) {
             return of_devices("DeviceTaintRule",
                               {{"deviceSelector", {{"driver", text(n)}}}, {"taint", {{"effect", "NoSchedule"}}}});
         },
         317, 1'000'000, "spec.deviceSelector.driver: 318 " + of_bytes},
        {"selectors", "DeviceClass.resource.k8s.io",
         [](std::int64_t n) { return of_devices("DeviceClass", {{"selectors", selectors(n)}}); }, 4096, 20'000,
         "spec.selectors: 4097 entries are " + of_entries},
        {"a selector", "DeviceClass.resource.k8s.io",
         [](std::int64_t n) {
             return of_devices("DeviceClass", {{"selectors", {{{"cel", {{"expression", text(n)}}}}}}});
         },
         16'384, 1'000'000, "bytes are more than the 16384 bytes that a selector of devices may have"},
        {"requests", of_claim,
         [](std::int64_t n) { return claim(list(n, [](auto) { return request(json::object()); })); }, 256, 20'000,
         "spec.devices.requests: 257 entries are more than the 256 requests that one claim may have"},
        {"constraints", of_claim,
         [](std::int64_t n) {
             json out = claim(json::array());
             out["spec"]["devices"]["constraints"] = list(n, [](auto) { return json{{"matchAttribute", "a/b"}}; });
             return out;
         },
         64, 20'000, "spec.devices.constraints: 65 entries are more than the 64 constraints that one claim may have"},
        {"count", of_claim, [](std::int64_t n) { return claim({request({{"count", n}})}); }, 4096, 1'000'000,
         "spec.devices.requests[0].exactly.count: must be between 1 and 4096, not 4097"},
        {"selectors of a request", of_claim,
         [](std::int64_t n) { return claim({request({{"selectors", selectors(n)}})}); }, 4096, 20'000,
         "spec.devices.requests[0].exactly.selectors: 4097 entries are " + of_entries},
        {"requests of a template", "ResourceClaimTemplate.resource.k8s.io",
         [](std::int64_t n) {
             return of_devices("ResourceClaimTemplate",
                               {{"spec", claim(list(n, [](auto) { return request(json::object()); }))["spec"]}});
         },
         256, 20'000, "spec.spec.devices.requests: 257 entries are more than the 256 requests that one claim may have"},
        {"claims of a pod", "Pod.", [](std::int64_t n) { return member({{"resourceClaims", named(n)}}); }, 256, 20'000,
         "one of its pods: spec.resourceClaims: 257 entries are more than the 256 claims that one pod may name"},
    };
}

json zones_object(json fields) {
    fields["apiVersion"] = "topology.node.k8s.io/v1alpha2";
    fields["kind"] = "NodeResourceTopology";
    fields["metadata"] = {{"name", "n"}};
    return fields;
}

Rows zone_rows() {
    const std::string kind = "NodeResourceTopology.topology.node.k8s.io";
    const auto zone = [](json resources) {
        return json{{"name", "z"}, {"type", "Node"}, {"resources", std::move(resources)}};
    };
    return {
        {"zones", kind,
         [=](std::int64_t n) { return zones_object({{"zones", list(n, [=](auto) { return zone(json::array()); })}}); },
         64, 20'000, "zones: 65 entries are more than the 64 zones that one node may have"},
        {"resources of a zone", kind,
         [=](std::int64_t n) {
             const auto one = [](std::int64_t at) {
                 return json{{"name", std::to_string(at)}, {"allocatable", "1"}, {"available", "1"}};
             };
             return zones_object({{"zones", json::array({zone(list(n, one))})}});
         },
         256, 20'000, "zones[0].resources: 257 entries are more than the 256 resources that one zone may have"},
        {"attributes", kind, [](std::int64_t n) { return zones_object({{"attributes", named(n)}}); }, 4096, 20'000,
         "attributes: 4097 entries are " + of_entries},
        {"policies", kind,
         [](std::int64_t n) {
             return zones_object({{"topologyPolicies", list(n, [](auto) { return json("None"); })}});
         },
         4096, 20'000, "topologyPolicies: 4097 entries are " + of_entries},
    };
}

Rows record_rows() {
    return {
        {"seats", "GangPlan.echelon.sh",
         [](std::int64_t n) {
             return plan({{"phase", "Bound"}, {"seats", list(n, [](auto) { return json{{"pod", "p"}}; })}});
         },
         20'000, 60'000, "status.seats must be a list of at most 20000 seats (limits.members)"},
        {"groups", "GangPlan.echelon.sh",
         [](std::int64_t n) {
             return plan({{"phase", "Bound"}, {"groups", list(n, [](auto) { return json{{"group", "g"}}; })}});
         },
         4096, 20'000, "status.groups must be a list of at most 4096 groups (limits.groups)"},
        {"value", "PriorityClass.scheduling.k8s.io",
         [](std::int64_t n) {
             json out = object("scheduling.k8s.io/v1", "PriorityClass", nullptr);
             out["value"] = n;
             return out;
         },
         2147483647, 1'000'000'000'000, "value: must be between -2147483648 and 2147483647, not 2147483648"},
        {"activeDeadlineSeconds", "Job.batch",
         [](std::int64_t n) { return object("batch/v1", "Job", {{"activeDeadlineSeconds", n}}); }, 1'000'000'000'000,
         1'000'000'000'000'000, "spec.activeDeadlineSeconds: must be between 0 and 1000000000000, not 1000000000001"},
        {"selector", "PodDisruptionBudget.policy", budget, 4096, 60'000,
         "spec.selector.matchLabels: 4097 entries are " + of_entries},
    };
}

}  // namespace

std::vector<Row> rows_of_facts() {
    Rows all;
    for (const auto& some :
         {pod_rows(), node_rows(), topology_rows(), hypernode_rows(), device_rows(), zone_rows(), record_rows()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

}  // namespace echelon::kube::hostile

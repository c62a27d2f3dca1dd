// What each decoder bounds: a row for each count, list, text and depth that one reads.

#include "unit-tests/kube/bounds_rows.hpp"

namespace echelon::kube::hostile {

namespace {

using Rows = std::vector<Row>;

constexpr std::int64_t int32 = 2147483647;
const std::string of_members = " is more than the 20000 members that a gang may have (limits.members)";
const std::string of_groups = "more than the 4096 groups that a gang may have (limits.groups)";
const std::string of_entries = "more than the 4096 entries that one list or map may have";
const std::string of_bytes = "bytes are more than the 317 bytes that a name or key may have";
const std::string of_text =
    "bytes are more than the 65536 bytes of an annotation that is parsed (limits.annotationBytes)";
const std::string of_nesting = "nests deeper than 16 levels (limits.annotationDepth)";

json upstream(const char* kind, json policy, json spec = json::object()) {
    spec["schedulingPolicy"] = std::move(policy);
    return object("scheduling.k8s.io/v1alpha3", kind, std::move(spec));
}

Rows upstream_rows() {
    return {
        {"minCount", "PodGroup.scheduling.k8s.io",
         [](std::int64_t n) { return upstream("PodGroup", {{"gang", {{"minCount", n}}}}); }, 20'000, int32,
         "spec.schedulingPolicy.gang.minCount: 20001" + of_members},
        {"a class's name", "PodGroup.scheduling.k8s.io",
         [](std::int64_t n) {
             return upstream("PodGroup", {{"gang", {{"minCount", 1}}}}, {{"priorityClassName", text(n)}});
         },
         317, 1'000'000, "spec.priorityClassName: 318 " + of_bytes},
        {"minGroupCount", "CompositePodGroup.scheduling.k8s.io",
         [](std::int64_t n) { return upstream("CompositePodGroup", {{"gang", {{"minGroupCount", n}}}}); }, 4096, int32,
         "spec.schedulingPolicy.gang.minGroupCount: 4097 is " + of_groups},
        {"podGroups", "Workload.scheduling.k8s.io",
         [](std::int64_t n) {
             const auto group = [](std::int64_t at) {
                 return json{{"name", "n" + std::to_string(at)}, {"policy", {{"basic", json::object()}}}};
             };
             return object("scheduling.k8s.io/v1alpha1", "Workload", {{"podGroups", list(n, group)}});
         },
         4096, 20'000, "spec.podGroups: 4097 entries are " + of_groups},
    };
}

json pod_gang(json groups, json configs = json::array()) {
    return object("scheduler.grove.io/v1alpha1", "PodGang",
                  {{"podgroups", std::move(groups)}, {"topologyConstraintGroupConfigs", std::move(configs)}});
}

Rows grove_rows() {
    const std::string kind = "PodGang.scheduler.grove.io";
    return {
        {"podgroups", kind, [](std::int64_t n) { return pod_gang(named(n)); }, 4096, 20'000,
         "spec.podgroups: 4097 entries are " + of_groups},
        {"minReplicas", kind, [](std::int64_t n) { return pod_gang({{{"name", "a"}, {"minReplicas", n}}}); }, 20'000,
         int32, "spec.podgroups[0].minReplicas: 20001" + of_members},
        {"podReferences", kind, [](std::int64_t n) { return pod_gang({{{"name", "a"}, {"podReferences", named(n)}}}); },
         20'000, 100'000, "spec.podgroups[0].podReferences: 20001 entries are more than the 20000 members"},
        {"a podgroup's name", kind, [](std::int64_t n) { return pod_gang({{{"name", text(n)}}}); }, 317, 1'000'000,
         "spec.podgroups[0].name: 318 " + of_bytes},
        {"configs", kind, [](std::int64_t n) { return pod_gang(named(1), named(n)); }, 4096, 20'000,
         "spec.topologyConstraintGroupConfigs: 4097 entries are " + of_groups},
    };
}

json kai(json spec) {
    return object("scheduling.run.ai/v2alpha2", "PodGroup", std::move(spec));
}

json chain(std::int64_t depth) {
    return list(depth, [](std::int64_t at) {
        json part = {{"name", "n" + std::to_string(at)}};
        if (at > 0)
            part["parent"] = "n" + std::to_string(at - 1);
        return part;
    });
}

Rows kai_rows() {
    const std::string kind = "PodGroup.scheduling.run.ai";
    return {
        {"minMember", kind, [](std::int64_t n) { return kai({{"minMember", n}}); }, 20'000, int32,
         "spec.minMember: 20001" + of_members},
        {"subGroups", kind, [](std::int64_t n) { return kai({{"subGroups", named(n)}}); }, 4096, 20'000,
         "spec.subGroups: 4097 entries are " + of_groups},
        {"minSubGroup", kind, [](std::int64_t n) { return kai({{"subGroups", named(4096)}, {"minSubGroup", n}}); },
         4096, int32, "spec.minSubGroup: 4097 is " + of_groups},
        {"a sub-group's minMember", kind,
         [](std::int64_t n) { return kai({{"subGroups", {{{"name", "a"}, {"minMember", n}}}}}); }, 20'000, int32,
         "spec.subGroups[0].minMember: 20001" + of_members},
        {"a chain of sub-groups", kind, [](std::int64_t n) { return kai({{"subGroups", chain(n)}}); }, 63, 4'000,
         "spec.subGroups: 65 is more than the 64 levels of groups that a gang may have (limits.depth)"},
        {"a sub-group's name", kind, [](std::int64_t n) { return kai({{"subGroups", {{{"name", text(n)}}}}}); }, 317,
         1'000'000, "spec.subGroups[0].name: 318 " + of_bytes},
    };
}

json volcano(json spec) {
    return object("scheduling.volcano.sh/v1beta1", "PodGroup", std::move(spec));
}

Rows volcano_rows() {
    const std::string kind = "PodGroup.scheduling.volcano.sh";
    const auto policy = [](const char* key, json value) {
        json one = {{"name", "a"}, {"matchLabelKeys", {"k"}}};
        one[key] = std::move(value);
        return volcano({{"subGroupPolicy", json::array({std::move(one)})}});
    };
    return {
        {"minMember", kind, [](std::int64_t n) { return volcano({{"minMember", n}}); }, 20'000, int32,
         "spec.minMember: 20001" + of_members},
        {"minTaskMember", kind,
         [](std::int64_t n) { return volcano({{"minMember", 20'000}, {"minTaskMember", {{"a", n}}}}); }, 20'000, int32,
         "spec.minTaskMember.a: 20001" + of_members},
        {"tasks", kind, [](std::int64_t n) { return volcano({{"minMember", 20'000}, {"minTaskMember", map(n, 1)}}); },
         4096, 20'000, "spec.minTaskMember: 4097 entries are " + of_groups},
        {"policies", kind, [](std::int64_t n) { return volcano({{"subGroupPolicy", named(n)}}); }, 4096, 20'000,
         "spec.subGroupPolicy: 4097 entries are " + of_groups},
        {"subGroupSize", kind, [policy](std::int64_t n) { return policy("subGroupSize", n); }, 20'000, int32,
         "spec.subGroupPolicy[0].subGroupSize: 20001" + of_members},
        {"minSubGroups", kind, [policy](std::int64_t n) { return policy("minSubGroups", n); }, 4096, int32,
         "spec.subGroupPolicy[0].minSubGroups: 4097 is " + of_groups},
        {"matchLabelKeys", kind,
         [policy](std::int64_t n) { return policy("matchLabelKeys", list(n, [](auto) { return json("k"); })); }, 4096,
         50'000, "spec.subGroupPolicy[0].matchLabelKeys: 4097 entries are " + of_entries},
    };
}

json koordinator(const std::string& key, const std::string& value) {
    return object("scheduling.sigs.k8s.io/v1alpha1", "PodGroup", {{"minMember", 1}},
                  {{"gang.scheduling.koordinator.sh/" + key, value}});
}

std::string names(std::int64_t size) {
    return list(size, [](std::int64_t at) { return json("ns/" + std::to_string(at)); }).dump();
}

Rows koordinator_rows() {
    const std::string kind = "PodGroup.scheduling.sigs.k8s.io";
    const std::string key = "metadata.annotations[\"gang.scheduling.koordinator.sh/";
    return {
        {"minMember", kind,
         [](std::int64_t n) { return object("scheduling.sigs.k8s.io/v1alpha1", "PodGroup", {{"minMember", n}}); },
         20'000, int32, "spec.minMember: 20001" + of_members},
        {"total-number", kind, [](std::int64_t n) { return koordinator("total-number", std::to_string(n)); }, 20'000,
         int32, "total-number: 20001" + of_members},
        {"groups", kind, [](std::int64_t n) { return koordinator("groups", names(n)); }, 4096, 6'000,
         "the annotation gang.scheduling.koordinator.sh/groups: 4097 entries are " + of_groups},
        {"text of groups", kind, [](std::int64_t n) { return koordinator("groups", "[]" + text(n - 2, ' ')); }, 65'536,
         260'000, key + "groups\"]: 65537 " + of_text},
        {"nesting of network-topology-spec", kind,
         [](std::int64_t n) { return koordinator("network-topology-spec", "{\"x\":" + nest(n - 1) + "}"); }, 16, 30'000,
         of_nesting},
        {"text of network-topology-spec", kind,
         [](std::int64_t n) { return koordinator("network-topology-spec", "{}" + text(n - 2, ' ')); }, 65'536, 260'000,
         key + "network-topology-spec\"]: 65537 " + of_text},
        {"gatherStrategy", kind,
         [](std::int64_t n) {
             const auto gather = [](auto) { return json{{"layer", "l"}, {"strategy", "PreferGather"}}; };
             return koordinator("network-topology-spec", json{{"gatherStrategy", list(n, gather)}}.dump());
         },
         64, 1'000, "has 65 entries in gatherStrategy, more than 64"},
        {"minMember of scheduler-plugins", "PodGroup.scheduling.x-k8s.io",
         [](std::int64_t n) { return object("scheduling.x-k8s.io/v1alpha1", "PodGroup", {{"minMember", n}}); }, 20'000,
         int32, "spec.minMember: 20001" + of_members},
    };
}

}  // namespace

std::vector<Row> rows_of_groups() {
    Rows all;
    for (const auto& some : {upstream_rows(), grove_rows(), kai_rows(), volcano_rows(), koordinator_rows()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

}  // namespace echelon::kube::hostile

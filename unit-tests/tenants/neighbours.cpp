#include "unit-tests/tenants/neighbours.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace echelon::tenants {
namespace {

using nlohmann::json;

json node(const std::string& name, int rack, const char* taint) {
    const std::string text = fmt::format("rack-{}", rack);
    json out = {{"apiVersion", "v1"},
                {"kind", "Node"},
                {"metadata",
                 {{"name", name},
                  {"uid", "uid-" + name},
                  {"labels",
                   {{"kubernetes.io/hostname", name},
                    {"example.com/rack", text},
                    {"example.com/block", rack < 2 ? "block-0" : "block-1"}}}}},
                {"status", {{"allocatable", {{"cpu", "16"}, {"memory", "64Gi"}, {"pods", "110"}}}}}};
    if (taint != nullptr)
        out["spec"]["taints"] = json::array({{{"key", taint}, {"effect", "NoSchedule"}}});
    return out;
}

json object(const char* version, const char* kind, const std::string& name, json spec) {
    return {{"apiVersion", version},
            {"kind", kind},
            {"metadata", {{"name", name}, {"namespace", "sound"}, {"uid", fmt::format("uid-sound-{}", name)}}},
            {"spec", std::move(spec)}};
}

json pod(const std::string& ns, const std::string& name, json labels, json annotations) {
    return {{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata",
             {{"name", name},
              {"namespace", ns},
              {"uid", fmt::format("uid-{}/{}", ns, name)},
              {"labels", std::move(labels)},
              {"annotations", std::move(annotations)}}},
            {"spec",
             {{"schedulerName", "default-scheduler"},
              {"tolerations", json::array({{{"key", "sound"}, {"operator", "Exists"}}})},
              {"nodeSelector", {{"example.com/block", "block-0"}}},
              {"containers", json::array({{{"name", "main"}, {"resources", {{"requests", {{"cpu", "2"}}}}}}})}}}};
}

void add_pods(std::vector<json>& out, const std::string& gang, int count, const json& labels, const json& annotations) {
    for (int i = 0; i < count; ++i)
        out.push_back(pod("sound", fmt::format("{}-{}", gang, i), labels, annotations));
}

}  // namespace

std::vector<json> fabric() {
    std::vector<json> out;
    for (int i = 0; i < 8; ++i)
        out.push_back(node(fmt::format("s-{}", i), i / 4, "sound"));
    for (int i = 0; i < 48; ++i)
        out.push_back(node(fmt::format("t-{}", i), 2 + i / 8, nullptr));
    out.push_back(node("p-0", 2, "plain"));
    out.push_back({{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                   {"kind", "Topology"},
                   {"metadata", {{"name", "fabric"}, {"uid", "uid-fabric"}}},
                   {"spec",
                    {{"levels", json::array({{{"nodeLabel", "example.com/block"}},
                                             {{"nodeLabel", "example.com/rack"}},
                                             {{"nodeLabel", "kubernetes.io/hostname"}}})}}}});
    return out;
}

std::vector<json> sound_objects() {
    std::vector<json> out;
    out.push_back(object("scheduling.k8s.io/v1alpha3", "PodGroup", "upstream",
                         {{"schedulingPolicy", {{"gang", {{"minCount", 4}}}}},
                          {"schedulingConstraints", {{"topology", json::array({{{"key", "example.com/rack"}}})}}}}));
    add_pods(out, "upstream", 4, json::object(), json::object());
    for (json& each : out) {
        if (is_pod(each))
            each["spec"]["schedulingGroup"] = {{"podGroupName", "upstream"}};
    }
    out.push_back(object("scheduling.sigs.k8s.io/v1alpha1", "PodGroup", "koordinator", {{"minMember", 2}}));
    add_pods(out, "koordinator", 2, {{"pod-group.scheduling.sigs.k8s.io", "koordinator"}}, json::object());
    add_pods(out, "labelled", 3, {{"echelon.sh/gang", "labelled"}},
             {{"echelon.sh/gang-minimum", "3"}, {"echelon.sh/gang-required-topology", "example.com/rack"}});
    out.push_back(
        object("echelon.sh/v1alpha1", "Gang", "object", {{"minimum", 2}, {"requiredTopology", "example.com/rack"}}));
    add_pods(out, "object", 2, {{"echelon.sh/gang", "object"}}, json::object());
    out.push_back(object("scheduling.volcano.sh/v1beta1", "PodGroup", "volcano", {{"minMember", 2}}));
    add_pods(out, "volcano", 2, json::object(), {{"scheduling.k8s.io/group-name", "volcano"}});
    out.push_back(object("scheduling.run.ai/v2alpha2", "PodGroup", "kai", {{"minMember", 2}}));
    add_pods(out, "kai", 2, json::object(), {{"pod-group-name", "kai"}});
    add_pods(out, "serve", 2,
             {{"leaderworkerset.sigs.k8s.io/name", "serve"},
              {"leaderworkerset.sigs.k8s.io/group-index", "0"},
              {"leaderworkerset.sigs.k8s.io/group-key", "key"}},
             {{"leaderworkerset.sigs.k8s.io/size", "2"}});
    return out;
}

std::vector<json> late_objects() {
    std::vector<json> out;
    add_pods(out, "late", 3, {{"echelon.sh/gang", "late"}},
             {{"echelon.sh/gang-minimum", "3"}, {"echelon.sh/gang-required-topology", "example.com/rack"}});
    return out;
}

json plain_pod(const std::string& name) {
    return pod("plain", name, json::object(), json::object());
}

model::PodRef reference(const json& pod) {
    const json& metadata = pod["metadata"];
    return {.ns = metadata["namespace"].get<std::string>(),
            .name = metadata["name"].get<std::string>(),
            .uid = metadata["uid"].get<std::string>()};
}

bool is_pod(const json& object) {
    return object["kind"] == "Pod";
}

}  // namespace echelon::tenants

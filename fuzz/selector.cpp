#include "fuzz/sentence.hpp"
#include "fuzz/targets.hpp"
#include "kube/decode.hpp"
#include "kube/json/splitter.hpp"
#include "model/facts/eligibility.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

namespace echelon::fuzz {
namespace {

using nlohmann::json;

// Reverses every list at any depth. Documents, and so this recursion, are at most 64 deep.
void turn_round(json& value) {
    if (value.is_array())
        std::ranges::reverse(value.get_ref<json::array_t&>());
    for (json& part : value) {
        if (part.is_structured())
            turn_round(part);
    }
}

json taken(json& from, const char* key) {
    const auto at = from.find(key);
    return at == from.end() ? json() : std::exchange(*at, nullptr);
}

// The pod class of a spec, with its lists as they are or reversed.
base::Result<model::PodClass> pod_class_of(const json& spec, bool is_turned) {
    json constraints = spec;
    if (is_turned) {
        for (const char* key : {"affinity", "tolerations"}) {
            if (const auto at = constraints.find(key); at != constraints.end())
                turn_round(*at);
        }
    }
    constraints["containers"] = json::array();
    const json pod = {{"apiVersion", "v1"},
                      {"kind", "Pod"},
                      {"metadata", {{"name", "p"}, {"namespace", "n"}, {"uid", "u"}}},
                      {"spec", std::move(constraints)}};
    auto events = kube::decode(pod, kube::Change::seen);
    if (!events)
        return std::unexpected(std::move(events.error()));
    return std::get<model::PodSeen>(events->front()).pod.pod_class;
}

}  // namespace

// Takes an object: "labels" and "taints" belong to the node, all other keys are the spec of the pod.
std::string selector(std::string_view bytes) {
    auto input = kube::parse_object(bytes);
    if (!input)
        return sentence_fault(input.error().sentence);
    json labels = taken(*input, "labels");
    json taints = taken(*input, "taints");
    const auto pod_class = pod_class_of(*input, false);
    const auto turned = pod_class_of(*input, true);
    if (pod_class.has_value() != turned.has_value())
        return "constraints are readable in one order only";
    if (!pod_class)
        return sentence_fault(pod_class.error().sentence);
    if (*pod_class != *turned)
        return "the order of constraints makes another shape";

    const json node = {{"apiVersion", "v1"},
                       {"kind", "Node"},
                       {"metadata", {{"name", "n0"}, {"labels", std::move(labels)}}},
                       {"spec", {{"taints", std::move(taints)}}}};
    const auto events = kube::decode(node, kube::Change::seen);
    if (!events)
        return sentence_fault(events.error().sentence);
    const model::Node& host = std::get<model::NodeSeen>(events->front()).node;
    const bool may_host =
        host.is_usable() && model::is_selected(host, *pod_class) && model::is_tolerated(host, *pod_class);
    return may_host == model::may_host(host, *pod_class) ? "" : "the parts of eligibility don't make the whole";
}

}  // namespace echelon::fuzz

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

// Turns every list round, at any depth. Documents are at most 64 deep, and so is this.
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

// The wishes of a pod, in the order in which they stand or the other way round.
base::Result<model::PodClass> shape_of(const json& spec, bool is_turned) {
    json wishes = spec;
    if (is_turned) {
        for (const char* key : {"affinity", "tolerations"}) {
            if (const auto at = wishes.find(key); at != wishes.end())
                turn_round(*at);
        }
    }
    wishes["containers"] = json::array();
    const json pod = {{"apiVersion", "v1"},
                      {"kind", "Pod"},
                      {"metadata", {{"name", "p"}, {"namespace", "n"}, {"uid", "u"}}},
                      {"spec", std::move(wishes)}};
    auto events = kube::decode(pod, kube::Change::seen);
    if (!events)
        return std::unexpected(std::move(events.error()));
    return std::get<model::PodSeen>(events->front()).pod.shape;
}

}  // namespace

// Takes {"labels", "taints", of the node; everything else: the spec of the pod}.
std::string selector(std::string_view bytes) {
    auto input = kube::parse_object(bytes);
    if (!input)
        return sentence_fault(input.error().sentence);
    json labels = taken(*input, "labels");
    json taints = taken(*input, "taints");
    const auto shape = shape_of(*input, false);
    const auto turned = shape_of(*input, true);
    if (shape.has_value() != turned.has_value())
        return "wishes are readable in one order only";
    if (!shape)
        return sentence_fault(shape.error().sentence);
    if (*shape != *turned)
        return "the order of wishes makes another shape";

    const json node = {{"apiVersion", "v1"},
                       {"kind", "Node"},
                       {"metadata", {{"name", "n0"}, {"labels", std::move(labels)}}},
                       {"spec", {{"taints", std::move(taints)}}}};
    const auto events = kube::decode(node, kube::Change::seen);
    if (!events)
        return sentence_fault(events.error().sentence);
    const model::Node& host = std::get<model::NodeSeen>(events->front()).node;
    const bool may_host = host.is_usable() && model::is_selected(host, *shape) && model::is_tolerated(host, *shape);
    return may_host == model::may_host(host, *shape) ? "" : "the parts of eligibility don't make the whole";
}

}  // namespace echelon::fuzz

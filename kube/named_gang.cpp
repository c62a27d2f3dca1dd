// The fast path of a filter call: only the few fields that name a group are looked at, the rest is skipped. It must
// name the gang that the decoder would find in the same pod (tested against it).

#include "kube/decode.hpp"
#include "kube/label_gang.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace echelon::kube {

namespace {

namespace dom = simdjson::dom;

// The string at the end of a way through objects; "" when it isn't there.
std::string_view text_at(dom::element from, std::initializer_list<std::string_view> way) {
    for (std::string_view key : way) {
        dom::object object;
        if (from.get(object) != simdjson::SUCCESS || object[key].get(from) != simdjson::SUCCESS)
            return {};
    }
    std::string_view text;
    return from.get(text) == simdjson::SUCCESS ? text : std::string_view{};
}

std::string joined(std::initializer_list<std::string_view> parts) {
    std::string out;
    for (std::string_view part : parts) {
        if (!out.empty())
            out += '/';
        out += part;
    }
    return out;
}

}  // namespace

std::optional<std::string> named_gang(std::string_view pod_json) {
    dom::parser parser;
    dom::element pod;
    // The copy brings the padding that simdjson reads beyond the end.
    const simdjson::padded_string text(pod_json);
    if (parser.parse(text).get(pod) != simdjson::SUCCESS)
        return std::nullopt;

    std::string_view ns = text_at(pod, {"metadata", "namespace"});
    if (ns.empty())
        ns = "default";
    if (const auto group = text_at(pod, {"spec", "schedulingGroup", "podGroupName"}); !group.empty()) {
        return joined({ns, group});
    }
    const auto workload = text_at(pod, {"spec", "workloadRef", "name"});
    const auto group = text_at(pod, {"spec", "workloadRef", "podGroup"});
    if (!workload.empty() && !group.empty()) {
        const auto key = text_at(pod, {"spec", "workloadRef", "podGroupReplicaKey"});
        return key.empty() ? joined({ns, workload, group}) : joined({ns, workload, group, key});
    }
    if (const auto gang = text_at(pod, {"metadata", "labels", gang_label}); !gang.empty())
        return joined({ns, gang});
    return std::nullopt;
}

}  // namespace echelon::kube

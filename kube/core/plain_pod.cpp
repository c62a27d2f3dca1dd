#include "kube/core/plain_pod.hpp"

#include "kube/core/pod_constraints.hpp"
#include "kube/core/pod_requests.hpp"
#include "kube/core/protection.hpp"
#include "kube/json/field.hpp"

#include <cstdint>
#include <limits>

#include <simdjson.h>

namespace echelon::kube {

std::optional<model::PlainPod> read_plain_pod(std::string_view pod_json) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    simdjson::dom::parser parser;
    simdjson::dom::element parsed;
    const simdjson::padded_string text(pod_json);
    if (parser.parse(text).get(parsed) != simdjson::SUCCESS || !parsed.is_object())
        return std::nullopt;
    FieldFault fault;
    const Field object(Value(parsed), fault);
    const Field spec = object.at("spec");
    model::PodClass where;
    where.node_selector = spec.at("nodeSelector").texts();
    where.node_affinity = read_node_affinity(spec);
    model::PlainPod pod{.requests = effective_request(object),
                        .priority = spec.integer("priority", least, most).value_or(0),
                        .active_deadline = spec.integer("activeDeadlineSeconds", 1, most).value_or(0),
                        .is_exempt = is_of_daemon_set(object) || model::names_one_host(where)};
    return fault.found() ? std::nullopt : std::optional(std::move(pod));
}

}  // namespace echelon::kube

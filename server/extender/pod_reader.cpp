#include "server/extender/pod_reader.hpp"

namespace echelon::server {
namespace {

Problem read_metadata(ondemand::value value, PodFacts& pod) {
    return for_each_field(value, "Pod.metadata", [&pod](std::string_view key, ondemand::value inner) -> Problem {
        if (key == "uid")
            return read_string(inner, "Pod.metadata.uid", pod.uid);
        if (key == "name")
            return read_string(inner, "Pod.metadata.name", pod.name);
        if (key == "namespace")
            return read_string(inner, "Pod.metadata.namespace", pod.ns);
        return std::nullopt;
    });
}

Problem read_spec(ondemand::value value, PodFacts& pod) {
    return for_each_field(value, "Pod.spec", [&pod](std::string_view key, ondemand::value inner) -> Problem {
        if (key != "schedulerName")
            return std::nullopt;
        return read_string(inner, "Pod.spec.schedulerName", pod.scheduler_name);
    });
}

}  // namespace

Problem read_pod(ondemand::value value, PodFacts& pod) {
    pod = {};
    if (is_null(value))
        return std::nullopt;
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS)
        return problem("Pod", "must be an object");
    if (auto error = object.raw_json().get(pod.json))
        return malformed(error);
    if (auto found = objection_to_first(pod.json, "Pod"))
        return found;
    if (auto error = object.reset().error())
        return malformed(error);
    return walk(object, [&pod](std::string_view key, ondemand::value inner) -> Problem {
        if (key == "metadata")
            return read_metadata(inner, pod);
        return key == "spec" ? read_spec(inner, pod) : std::nullopt;
    });
}

}  // namespace echelon::server

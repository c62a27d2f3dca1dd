// A field that decoders read and the protobuf shapes lack would be lost silently. To find the fields that are read,
// each one is left out of complete samples.

#include "kube/protobuf/message_shape.hpp"
#include "unit-tests/replay/samples.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace echelon::replay {
namespace {

using nlohmann::json;
using samples::recorded;
using samples::Sample;

using Path = std::vector<std::string>;  // Names of fields and keys of maps; places in a list are left out.

std::string shown(const Path& path) {
    return fmt::format("{}", fmt::join(path, "."));
}

Path path_of(std::string_view text) {
    Path path;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('.'), text.size());
        path.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return path;
}

bool carries(const kube::MessageShape* message, std::span<const std::string> path) {
    if (path.empty())
        return true;
    if (message == nullptr)
        return false;
    const auto field = std::ranges::find(message->fields, path.front(), &kube::FieldShape::name);
    if (field == message->fields.end())
        return false;
    const std::size_t taken = field->many == kube::FieldShape::Many::map && path.size() > 1 ? 2 : 1;
    return carries(field->shape, path.subspan(taken));
}

struct Place {
    Path path;
    json::json_pointer at;
};

void collect(const json& value, const Place& here, std::vector<Place>& out) {
    if (value.is_object()) {
        for (const auto& [key, member] : value.items()) {
            Place place{.path = here.path, .at = here.at / key};
            place.path.push_back(key);
            out.push_back(place);
            collect(member, place, out);
        }
    } else if (value.is_array()) {
        for (std::size_t at = 0; at < value.size(); ++at)
            collect(value[at], {.path = here.path, .at = here.at / at}, out);
    }
}

std::vector<Place> places_in(const json& object) {
    std::vector<Place> out;
    collect(object, Place(), out);
    std::erase_if(
        out, [](const Place& place) { return place.path.front() == "apiVersion" || place.path.front() == "kind"; });
    return out;
}

json without(json object, const json::json_pointer& at) {
    object.at(at.parent_pointer()).erase(at.back());
    return object;
}

struct Row {
    std::string_view api_version;
    std::string_view kind;
    std::string_view path;
};

TEST_CASE("every field that is read has a row, whichever kind it belongs to") {
    std::size_t read = 0;
    for (const auto& entry : std::filesystem::directory_iterator(samples::file_of(""))) {
        std::set<Path> known;
        for (const Sample& sample : samples::in(entry.path())) {
            const std::string whole = recorded(sample.object);
            for (const Place& place : places_in(sample.object)) {
                if (known.contains(place.path) || recorded(without(sample.object, place.at)) == whole)
                    continue;
                known.insert(place.path);
                CHECK_MESSAGE(carries(samples::shape_of(sample).message, place.path), samples::shape_of(sample).kind,
                              ".", shown(place.path));
            }
        }
        CHECK(known.size() > 3);
        read += known.size();
    }
    CHECK(read > 150);  // Leaving a field out does show whether it is read.
}

TEST_CASE("fields on which a plan rests have rows") {
    const Row rows[] = {
        {"v1", "Pod", "metadata.labels"},
        {"v1", "Pod", "metadata.annotations"},
        {"v1", "Pod", "metadata.ownerReferences.controller"},
        {"v1", "Pod", "metadata.deletionTimestamp"},
        {"v1", "Pod", "spec.schedulingGates.name"},
        {"v1", "Pod", "spec.schedulingGroup.podGroupName"},
        {"v1", "Pod", "spec.workloadRef.name"},
        {"v1", "Pod", "spec.workloadRef.podGroup"},
        {"v1", "Pod", "spec.workloadRef.podGroupReplicaKey"},
        {"v1", "Pod", "spec.resourceClaims.name"},
        {"v1", "Pod", "spec.resourceClaims.resourceClaimName"},
        {"v1", "Pod", "spec.resourceClaims.resourceClaimTemplateName"},
        {"v1", "Pod", "spec.resources.requests.cpu"},
        {"v1", "Pod", "spec.resources.limits.cpu"},
        {"v1", "Pod", "spec.overhead.cpu"},
        {"v1", "Pod", "spec.containers.resources.requests.cpu"},
        {"v1", "Pod", "spec.containers.resources.limits.cpu"},
        {"v1", "Pod", "spec.initContainers.resources.requests.cpu"},
        {"v1", "Pod", "spec.initContainers.resources.limits.cpu"},
        {"v1", "Pod", "spec.initContainers.restartPolicy"},
        {"v1", "Pod", "spec.nodeSelector.zone"},
        {"v1", "Pod",
         "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms."
         "matchExpressions.values"},
        {"v1", "Pod",
         "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms."
         "matchFields.values"},
        {"v1", "Pod", "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution.topologyKey"},
        {"v1", "Pod",
         "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution.labelSelector."
         "matchExpressions.operator"},
        {"v1", "Pod",
         "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution.namespaceSelector."
         "matchLabels.team"},
        {"v1", "Pod", "spec.tolerations.key"},
        {"v1", "Pod", "spec.tolerations.operator"},
        {"v1", "Pod", "spec.tolerations.value"},
        {"v1", "Pod", "spec.tolerations.effect"},
        {"v1", "Pod", "spec.nodeName"},
        {"v1", "Pod", "spec.schedulerName"},
        {"v1", "Pod", "spec.priority"},
        {"v1", "Pod", "spec.preemptionPolicy"},
        {"v1", "Pod", "spec.activeDeadlineSeconds"},
        {"v1", "Pod", "status.phase"},
        {"v1", "Pod", "status.startTime"},
        {"v1", "Pod", "status.conditions.lastTransitionTime"},
        {"v1", "Pod", "metadata.ownerReferences.uid"},
        {"v1", "Pod", "status.nominatedNodeName"},
        {"v1", "Pod", "status.containerStatuses.allocatedResources.cpu"},
        {"v1", "Pod", "status.containerStatuses.state.terminated.finishedAt"},
        {"v1", "Pod", "status.containerStatuses.resources.requests.cpu"},
        {"v1", "Pod", "status.initContainerStatuses.allocatedResources.cpu"},
        {"v1", "Pod", "status.resourceClaimStatuses.resourceClaimName"},
        {"v1", "Node", "spec.unschedulable"},
        {"v1", "Node", "spec.taints.effect"},
        {"v1", "Node", "status.allocatable.cpu"},
        {"v1", "Node", "status.capacity.cpu"},
        {"v1", "Node", "status.conditions.status"},
        {"batch/v1", "Job", "spec.activeDeadlineSeconds"},
        {"batch/v1", "Job", "status.startTime"},
        {"policy/v1", "PodDisruptionBudget", "spec.selector.matchLabels.app"},
        {"policy/v1", "PodDisruptionBudget", "spec.unhealthyPodEvictionPolicy"},
        {"policy/v1", "PodDisruptionBudget", "status.disruptionsAllowed"},
        {"resource.k8s.io/v1", "ResourceClaim", "spec.devices.requests.exactly.count"},
        {"resource.k8s.io/v1", "ResourceClaim", "status.allocation.devices.results.request"},
        {"resource.k8s.io/v1", "ResourceClaim", "status.allocation.devices.results.device"},
        {"resource.k8s.io/v1", "ResourceSlice", "spec.devices.attributes.model.string"},
        {"resource.k8s.io/v1beta2", "ResourceSlice", "spec.devices.taints.effect"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.path);
        const kube::ObjectShape* shape = kube::shape_of(row.api_version, row.kind);
        REQUIRE(shape != nullptr);
        CHECK(carries(shape->message, path_of(row.path)));
    }
}

// These fields are skipped, and no decision depends on them. If a decoder begins to read one, this test fails.
TEST_CASE("fields without a row make no difference to what is read") {
    const struct {
        const char* file;
        const char* path;
        json value;
    } rows[] = {
        {"pod.jsonl", "/metadata/generateName", "train-"},
        {"pod.jsonl", "/metadata/finalizers", {"example.org/keep"}},
        {"pod.jsonl", "/metadata/managedFields", {{{"manager", "kubectl"}}}},
        {"pod.jsonl",
         "/spec/ephemeralContainers",
         {{{"name", "debug"}, {"resources", {{"requests", {{"cpu", "8"}}}}}}}},
        {"pod.jsonl", "/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution", json::array()},
        {"pod.jsonl", "/spec/affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution", json::array()},
        {"pod.jsonl", "/spec/tolerations/0/tolerationSeconds", 30},
        {"pod.jsonl", "/spec/terminationGracePeriodSeconds", 30},
        {"pod.jsonl", "/spec/priorityClassName", "high"},
        {"pod.jsonl", "/status/resize", "Deferred"},
        {"pod.jsonl", "/status/resources/limits", {{"cpu", "8"}}},
        {"pod.jsonl", "/status/containerStatuses/0/resources/limits", {{"cpu", "8"}}},
        {"pod.jsonl",
         "/status/ephemeralContainerStatuses",
         {{{"name", "debug"}, {"allocatedResources", {{"cpu", "8"}}}}}},
        {"node.jsonl", "/status/nodeInfo", {{"architecture", "arm64"}}},
        {"node.jsonl", "/status/addresses", {{{"type", "Hostname"}, {"address", "n1"}}}},
        {"node.jsonl", "/status/images", {{{"names", {"image"}}}}},
    };
    for (const auto& row : rows) {
        CAPTURE(row.path);
        const Sample sample = samples::in(samples::file_of(row.file)).at(0);
        json with = sample.object;
        with[json::json_pointer(row.path)] = row.value;
        CHECK(recorded(with) == recorded(sample.object));
        std::string path = row.path + 1;
        std::ranges::replace(path, '/', '.');
        if (const std::size_t at = path.find(".0."); at != std::string::npos)
            path.erase(at, 2);
        CHECK_FALSE(carries(samples::shape_of(sample).message, path_of(path)));
    }
}

}  // namespace
}  // namespace echelon::replay

#pragma once

// What decides on which nodes a pod fits? Its requests, selectors and tolerations. Plain values.

#include "base/rare.hpp"
#include "model/facts/amounts.hpp"
#include "model/facts/device_asks.hpp"
#include "model/facts/node.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace echelon::model {

struct Toleration {
    std::string key;  // Empty with `exists`: every key.
    bool exists = false;
    std::string value;
    std::optional<TaintEffect> effect;  // Absent: every effect.

    auto operator<=>(const Toleration&) const = default;
};

struct Requirement {
    enum class Operator : std::uint8_t { in, not_in, exists, does_not_exist, greater_than, less_than };
    std::string key;
    Operator op = Operator::in;
    std::vector<std::string> values;  // Sorted, but for greater_than and less_than (one integer).

    auto operator<=>(const Requirement&) const = default;
};

// All requirements of a term must hold; a selector holds if one term does. An empty term matches nothing.
struct NodeTerm {
    std::vector<Requirement> labels;
    std::vector<Requirement> fields;  // Only metadata.name exists.

    auto operator<=>(const NodeTerm&) const = default;
};

// What one container asks for.
struct ContainerRequest {
    enum class Kind : std::uint8_t {
        ordinary,
        sidecar,  // An init container that runs on (restartPolicy Always).
        init,     // Ends before the next one starts.
    };
    Amounts requests;
    Kind kind = Kind::ordinary;

    auto operator<=>(const ContainerRequest&) const = default;
};

// What the kubelet knows beside the requests when it aligns a pod to NUMA zones (NU2).
struct Alignment {
    bool is_guaranteed = false;  // CPUs and memory may be aligned: QoS class Guaranteed, by its containers.
    // In the order in which they start. Empty if one container makes up the requests.
    std::vector<ContainerRequest> containers = {};

    auto operator<=>(const Alignment&) const = default;
};

// Everything about a pod that decides where it fits. Pods of one class are interchangeable for the solver.
struct PodClass {
    Amounts requests;  // Effective request (init containers, sidecars, overhead, pod level), "pods" and host ports too.
    Labels node_selector;
    std::optional<std::vector<NodeTerm>> node_affinity;  // requiredDuringScheduling; absent: no constraint.
    std::vector<Toleration> tolerations;                 // Sorted.
    base::Rare<Alignment> alignment = {};
    base::Rare<DeviceAsks> devices = {};

    auto operator<=>(const PodClass&) const = default;
};

}  // namespace echelon::model

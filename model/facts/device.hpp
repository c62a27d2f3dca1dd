#pragma once

// Which devices does a cluster have, and who asks for which? Objects of resource.k8s.io (dynamic resource allocation)
// as far as planning needs them. Plain values.

#include "base/shared.hpp"
#include "model/facts/node.hpp"
#include "model/facts/pod_class.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace echelon::model {

struct DeviceAttribute {
    enum class Kind : std::uint8_t { text, number, truth, version };
    Kind kind = Kind::text;
    std::string text;         // Of `text` and `version` (semantic versioning 2.0.0).
    std::int64_t number = 0;  // Of `number`; of `truth` 0 or 1.

    bool operator==(const DeviceAttribute&) const = default;
};

struct Device {
    std::string name;
    // Both by qualified name, "DOMAIN/NAME"; a name without a domain has the driver's.
    std::map<std::string, DeviceAttribute, std::less<>> attributes;
    std::map<std::string, std::int64_t, std::less<>> capacity;  // In thousandths.
    std::vector<Taint> taints;
    std::string node;               // Of a slice whose devices name their nodes one by one.
    bool is_shared = false;         // Several claims may have it (allowMultipleAllocations).
    bool uses_counters = false;     // Is a partition: whether it is free depends on others (consumesCounters).
    bool is_of_many_nodes = false;  // allNodes or nodeSelector, of its own or of its slice.

    bool operator==(const Device&) const = default;
};

// A ResourceSlice: a part of a pool of devices, of one driver.
struct DeviceSlice {
    std::string name;
    std::string driver;
    std::string pool;
    std::int64_t generation = 0;   // Of the pool; slices of older ones don't count.
    std::int64_t slice_count = 1;  // Slices that the pool has in this generation.
    std::string node;              // Of all its devices; empty: of several nodes, or told by each device.
    std::vector<Device> devices;

    bool operator==(const DeviceSlice&) const = default;
};

// A DeviceClass.
struct DeviceClass {
    std::string name;
    std::vector<std::string> selectors;  // CEL; all must hold.
    std::string extended_resource;       // spec.extendedResourceName; empty: none.

    bool operator==(const DeviceClass&) const = default;
};

// One request of a claim, for devices of one class, or for one device of the first class that has one (firstAvailable).
struct DeviceRequest {
    std::string name;
    std::string device_class;
    std::vector<std::string> selectors;  // CEL, beside those of the class; all must hold.
    std::vector<Toleration> tolerations;
    std::int64_t count = 1;
    bool wants_all = false;                        // allocationMode All: every such device of the node, at least one.
    bool admin_access = false;                     // Takes nothing.
    std::string not_understood;                    // Why echelon leaves it to kube-scheduler; empty: it counts.
    std::vector<DeviceRequest> alternatives = {};  // To the class above, in their order; each is for one device.

    bool operator==(const DeviceRequest&) const = default;
};

// What a ResourceClaim or a ResourceClaimTemplate asks for.
struct DeviceDemand {
    std::vector<DeviceRequest> requests;
    std::string constraint;  // What kube-scheduler alone judges beside the counts (matchAttribute ...); empty: nothing.

    bool operator==(const DeviceDemand&) const = default;
};

struct AllocatedDevice {
    std::string driver;
    std::string pool;
    std::string device;

    auto operator<=>(const AllocatedDevice&) const = default;
};

// What a claim got. Devices with admin access aren't listed.
struct DeviceAllocation {
    std::vector<AllocatedDevice> devices;
    std::optional<std::vector<NodeTerm>> nodes;  // Where its pods must run; absent: anywhere.

    bool operator==(const DeviceAllocation&) const = default;
};

// A ResourceClaim.
struct DeviceClaim {
    std::string ns;
    std::string name;
    std::string uid;
    base::Shared<DeviceDemand> demand;
    std::optional<DeviceAllocation> allocation;

    bool operator==(const DeviceClaim&) const = default;
};

// A ResourceClaimTemplate.
struct DeviceClaimTemplate {
    std::string ns;
    std::string name;
    base::Shared<DeviceDemand> demand;

    bool operator==(const DeviceClaimTemplate&) const = default;
};

// What a pod says of one claim (spec.resourceClaims, status.resourceClaimStatuses).
struct PodClaim {
    std::string name;            // In the pod.
    std::string claim;           // The ResourceClaim; empty: not created yet.
    std::string claim_template;  // From which it is created; empty: it is an object of its own.

    bool operator==(const PodClaim&) const = default;
};

}  // namespace echelon::model

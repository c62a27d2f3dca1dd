#pragma once

// Which devices does a cluster have, and which do claims ask for? Objects of resource.k8s.io (dynamic resource
// allocation) as far as planning needs them. Plain values.

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
    std::string text;         // For `text` and `version` (semantic versioning 2.0.0).
    std::int64_t number = 0;  // For `number`; for `truth` 0 or 1.

    bool operator==(const DeviceAttribute&) const = default;
};

// An amount of one counter of a counter set, which the partitions of a device share.
struct DeviceCounter {
    std::string set;
    std::string name;
    std::int64_t amount = 0;  // In thousandths.

    auto operator<=>(const DeviceCounter&) const = default;
};

struct Device {
    std::string name;
    // Both by qualified name, "DOMAIN/NAME"; a name without a domain has the driver's.
    std::map<std::string, DeviceAttribute, std::less<>> attributes;
    std::map<std::string, std::int64_t, std::less<>> capacity;  // In thousandths.
    std::vector<Taint> taints;
    std::string node;  // Set where each device of the slice names its node itself.
    // What it takes of the pool's counters while it is allocated (consumesCounters); sorted.
    std::vector<DeviceCounter> counters;
    bool is_shared = false;         // Several claims may share it (allowMultipleAllocations).
    bool is_of_many_nodes = false;  // The device or its slice has allNodes or nodeSelector.

    bool operator==(const Device&) const = default;
};

// A ResourceSlice: a part of a pool of devices, of one driver.
struct DeviceSlice {
    std::string name;
    std::string driver;
    std::string pool;
    std::int64_t generation = 0;   // Pool generation; slices of older generations don't count.
    std::int64_t slice_count = 1;  // How many slices the pool has in this generation.
    std::string node;              // Node of all devices; empty: several nodes, or each device names its own.
    std::vector<Device> devices;
    std::vector<DeviceCounter> counters = {};  // What partitions of the pool may take in all (sharedCounters); sorted.

    // Empty: it belongs to several nodes.
    [[nodiscard]] const std::string& node_of(const Device& device) const { return node.empty() ? device.node : node; }

    bool operator==(const DeviceSlice&) const = default;
};

// A DeviceTaintRule: a taint of all devices that it selects.
struct DeviceTaintRule {
    std::string name;
    // Absent: any.
    std::optional<std::string> driver;
    std::optional<std::string> pool;
    std::optional<std::string> device;
    std::optional<Taint> taint;  // Absent: one without effect on scheduling.

    bool operator==(const DeviceTaintRule&) const = default;
};

// A DeviceClass.
struct DeviceClass {
    std::string name;
    std::vector<std::string> selectors;  // CEL; all must hold.
    std::string extended_resource;       // spec.extendedResourceName; empty: none.
    std::int64_t created = 0;            // Seconds since 1970. Of classes with one extended resource the newest counts.

    bool operator==(const DeviceClass&) const = default;
};

// One request of a claim, for devices of one class, or for those of the first alternative that fits (firstAvailable).
struct DeviceRequest {
    std::string name;
    std::string device_class;
    std::vector<std::string> selectors;  // CEL, beside those of the class; all must hold.
    std::vector<Toleration> tolerations;
    std::int64_t count = 1;
    bool wants_all = false;      // allocationMode All: every matching device of the node, at least one.
    bool admin_access = false;   // Allocates nothing.
    std::string not_understood;  // Why only kube-scheduler can judge it; empty: echelon counts it.
    std::vector<DeviceRequest> alternatives = {};  // To the above, in their order.
    std::string choice = {};                       // Its name among the alternatives, if there are any.

    bool operator==(const DeviceRequest&) const = default;
};

// What the devices of one claim must have in common.
struct DeviceConstraint {
    std::string attribute;              // Qualified.
    bool is_distinct = false;           // Each device has another value; false: all have the same.
    std::vector<std::string> requests;  // "REQUEST" or "REQUEST/CHOICE"; empty: all.

    bool operator==(const DeviceConstraint&) const = default;
};

// What a ResourceClaim or a ResourceClaimTemplate asks for.
struct DeviceDemand {
    std::vector<DeviceRequest> requests;
    std::string constraint;  // A constraint that only kube-scheduler understands; empty: there is none.
    std::vector<DeviceConstraint> constraints = {};

    bool operator==(const DeviceDemand&) const = default;
};

struct AllocatedDevice {
    std::string driver;
    std::string pool;
    std::string device;

    auto operator<=>(const AllocatedDevice&) const = default;
};

// The devices that a claim has. Devices with admin access aren't listed.
struct DeviceAllocation {
    std::vector<AllocatedDevice> devices;
    std::optional<std::vector<NodeTerm>> nodes;  // Where its pods must run; absent: anywhere.
    // [device] The class that it was requested by. Only of claims for extended resources.
    std::vector<std::string> classes = {};

    bool operator==(const DeviceAllocation&) const = default;
};

// A ResourceClaim.
struct DeviceClaim {
    std::string ns;
    std::string name;
    std::string uid;
    base::Shared<DeviceDemand> demand;  // Absent: kube-scheduler made the claim for extended resources of a pod.
    std::optional<DeviceAllocation> allocation;
    std::string pod = {};     // UID of the pod that it was made for (its controller); only without `demand`.
    bool is_deleted = false;  // It has a deletion timestamp.

    bool operator==(const DeviceClaim&) const = default;
};

// A ResourceClaimTemplate.
struct DeviceClaimTemplate {
    std::string ns;
    std::string name;
    base::Shared<DeviceDemand> demand;

    bool operator==(const DeviceClaimTemplate&) const = default;
};

// One claim of a pod (spec.resourceClaims, status.resourceClaimStatuses).
struct PodClaim {
    std::string name;            // Within the pod.
    std::string claim;           // The ResourceClaim; empty: not created yet.
    std::string claim_template;  // The template it is created from; empty: the pod names a ResourceClaim.

    auto operator<=>(const PodClaim&) const = default;
};

}  // namespace echelon::model

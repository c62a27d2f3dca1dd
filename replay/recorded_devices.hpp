#pragma once

// Which fields does a recording keep of devices and claims, and under which names?
//
// All of them, as in recorded_facts.hpp. Plain tables.

#include "replay/recorded_facts.hpp"
#include "replay/recorded_names.hpp"

namespace echelon::replay {

template <>
struct Recorded<model::DeviceAttribute> : Names<"kind", "text", "number"> {};
template <>
struct Recorded<model::DeviceCounter> : Names<"set", "name", "amount"> {};
template <>
struct Recorded<model::Device>
    : Names<"name", "attributes", "capacity", "taints", "node", "counters", "isShared", "isOfManyNodes"> {};
template <>
struct Recorded<model::DeviceSlice>
    : Names<"name", "driver", "pool", "generation", "sliceCount", "node", "devices", "counters"> {};
template <>
struct Recorded<model::DeviceTaintRule> : Names<"name", "driver", "pool", "device", "taint"> {};
template <>
struct Recorded<model::DeviceClass> : Names<"name", "selectors", "extendedResource", "created"> {};
template <>
struct Recorded<model::DeviceRequest> : Names<"name", "deviceClass", "selectors", "tolerations", "count", "wantsAll",
                                              "adminAccess", "notUnderstood", "alternatives", "choice"> {};
template <>
struct Recorded<model::DeviceConstraint> : Names<"attribute", "isDistinct", "requests"> {};
template <>
struct Recorded<model::DeviceDemand> : Names<"requests", "constraint", "constraints"> {};
template <>
struct Recorded<model::AllocatedDevice> : Names<"driver", "pool", "device"> {};
template <>
struct Recorded<model::DeviceAllocation> : Names<"devices", "nodes", "classes"> {};
template <>
struct Recorded<model::DeviceClaim> : Names<"ns", "name", "uid", "demand", "allocation", "pod", "isDeleted"> {};
template <>
struct Recorded<model::DeviceClaimTemplate> : Names<"ns", "name", "demand"> {};
template <>
struct Recorded<model::PodClaim> : Names<"name", "claim", "claimTemplate"> {};
template <>
struct Recorded<model::DeviceSliceSeen> : Names<"slice"> {};
template <>
struct Recorded<model::DeviceSliceGone> : Names<"name"> {};
template <>
struct Recorded<model::DeviceClassSeen> : Names<"deviceClass"> {};
template <>
struct Recorded<model::DeviceClassGone> : Names<"name"> {};
template <>
struct Recorded<model::DeviceTaintRuleSeen> : Names<"rule"> {};
template <>
struct Recorded<model::DeviceTaintRuleGone> : Names<"name"> {};
template <>
struct Recorded<model::DeviceClaimSeen> : Names<"claim"> {};
template <>
struct Recorded<model::DeviceClaimGone> : Names<"ns", "name"> {};
template <>
struct Recorded<model::DeviceTemplateSeen> : Names<"claimTemplate"> {};
template <>
struct Recorded<model::DeviceTemplateGone> : Names<"ns", "name"> {};

}  // namespace echelon::replay

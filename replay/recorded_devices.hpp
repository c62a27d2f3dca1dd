#pragma once

// Which fields does a recording keep of devices and claims, and under which names?
//
// All of them, as in recorded_facts.hpp. Plain tables.

#include "replay/recorded_facts.hpp"

#include <array>
#include <string_view>
#include <tuple>

namespace echelon::replay {

template <>
struct Recorded<model::DeviceAttribute> {
    static constexpr std::array<std::string_view, 3> names = {"kind", "text", "number"};
    static auto fields(auto& all) {
        auto& [kind, text, number] = all;
        return std::tie(kind, text, number);
    }
};
template <>
struct Recorded<model::DeviceCounter> {
    static constexpr std::array<std::string_view, 3> names = {"set", "name", "amount"};
    static auto fields(auto& all) {
        auto& [set, name, amount] = all;
        return std::tie(set, name, amount);
    }
};
template <>
struct Recorded<model::Device> {
    static constexpr std::array<std::string_view, 8> names = {"name", "attributes", "capacity", "taints",
                                                              "node", "counters",   "isShared", "isOfManyNodes"};
    static auto fields(auto& all) {
        auto& [name, attributes, capacity, taints, node, counters, is_shared, is_of_many_nodes] = all;
        return std::tie(name, attributes, capacity, taints, node, counters, is_shared, is_of_many_nodes);
    }
};
template <>
struct Recorded<model::DeviceSlice> {
    static constexpr std::array<std::string_view, 8> names = {"name",       "driver", "pool",    "generation",
                                                              "sliceCount", "node",   "devices", "counters"};
    static auto fields(auto& all) {
        auto& [name, driver, pool, generation, slice_count, node, devices, counters] = all;
        return std::tie(name, driver, pool, generation, slice_count, node, devices, counters);
    }
};
template <>
struct Recorded<model::DeviceTaintRule> {
    static constexpr std::array<std::string_view, 5> names = {"name", "driver", "pool", "device", "taint"};
    static auto fields(auto& all) {
        auto& [name, driver, pool, device, taint] = all;
        return std::tie(name, driver, pool, device, taint);
    }
};
template <>
struct Recorded<model::DeviceClass> {
    static constexpr std::array<std::string_view, 4> names = {"name", "selectors", "extendedResource", "created"};
    static auto fields(auto& all) {
        auto& [name, selectors, extended_resource, created] = all;
        return std::tie(name, selectors, extended_resource, created);
    }
};
template <>
struct Recorded<model::DeviceRequest> {
    static constexpr std::array<std::string_view, 10> names = {
        "name",     "deviceClass", "selectors",     "tolerations",  "count",
        "wantsAll", "adminAccess", "notUnderstood", "alternatives", "choice"};
    static auto fields(auto& all) {
        auto& [name, device_class, selectors, tolerations, count, wants_all, admin_access, not_understood, alternatives,
               choice] = all;
        return std::tie(name, device_class, selectors, tolerations, count, wants_all, admin_access, not_understood,
                        alternatives, choice);
    }
};
template <>
struct Recorded<model::DeviceConstraint> {
    static constexpr std::array<std::string_view, 3> names = {"attribute", "isDistinct", "requests"};
    static auto fields(auto& all) {
        auto& [attribute, is_distinct, requests] = all;
        return std::tie(attribute, is_distinct, requests);
    }
};
template <>
struct Recorded<model::DeviceDemand> {
    static constexpr std::array<std::string_view, 3> names = {"requests", "constraint", "constraints"};
    static auto fields(auto& all) {
        auto& [requests, constraint, constraints] = all;
        return std::tie(requests, constraint, constraints);
    }
};
template <>
struct Recorded<model::AllocatedDevice> {
    static constexpr std::array<std::string_view, 3> names = {"driver", "pool", "device"};
    static auto fields(auto& all) {
        auto& [driver, pool, device] = all;
        return std::tie(driver, pool, device);
    }
};
template <>
struct Recorded<model::DeviceAllocation> {
    static constexpr std::array<std::string_view, 3> names = {"devices", "nodes", "classes"};
    static auto fields(auto& all) {
        auto& [devices, nodes, classes] = all;
        return std::tie(devices, nodes, classes);
    }
};
template <>
struct Recorded<model::DeviceClaim> {
    static constexpr std::array<std::string_view, 7> names = {"ns",         "name", "uid",      "demand",
                                                              "allocation", "pod",  "isDeleted"};
    static auto fields(auto& all) {
        auto& [ns, name, uid, demand, allocation, pod, is_deleted] = all;
        return std::tie(ns, name, uid, demand, allocation, pod, is_deleted);
    }
};
template <>
struct Recorded<model::DeviceClaimTemplate> {
    static constexpr std::array<std::string_view, 3> names = {"ns", "name", "demand"};
    static auto fields(auto& all) {
        auto& [ns, name, demand] = all;
        return std::tie(ns, name, demand);
    }
};
template <>
struct Recorded<model::PodClaim> {
    static constexpr std::array<std::string_view, 3> names = {"name", "claim", "claimTemplate"};
    static auto fields(auto& all) {
        auto& [name, claim, claim_template] = all;
        return std::tie(name, claim, claim_template);
    }
};
template <>
struct Recorded<model::DeviceSliceSeen> {
    static constexpr std::array<std::string_view, 1> names = {"slice"};
    static auto fields(auto& all) {
        auto& [slice] = all;
        return std::tie(slice);
    }
};
template <>
struct Recorded<model::DeviceSliceGone> {
    static constexpr std::array<std::string_view, 1> names = {"name"};
    static auto fields(auto& all) {
        auto& [name] = all;
        return std::tie(name);
    }
};
template <>
struct Recorded<model::DeviceClassSeen> {
    static constexpr std::array<std::string_view, 1> names = {"deviceClass"};
    static auto fields(auto& all) {
        auto& [device_class] = all;
        return std::tie(device_class);
    }
};
template <>
struct Recorded<model::DeviceClassGone> {
    static constexpr std::array<std::string_view, 1> names = {"name"};
    static auto fields(auto& all) {
        auto& [name] = all;
        return std::tie(name);
    }
};
template <>
struct Recorded<model::DeviceTaintRuleSeen> {
    static constexpr std::array<std::string_view, 1> names = {"rule"};
    static auto fields(auto& all) {
        auto& [rule] = all;
        return std::tie(rule);
    }
};
template <>
struct Recorded<model::DeviceTaintRuleGone> {
    static constexpr std::array<std::string_view, 1> names = {"name"};
    static auto fields(auto& all) {
        auto& [name] = all;
        return std::tie(name);
    }
};
template <>
struct Recorded<model::DeviceClaimSeen> {
    static constexpr std::array<std::string_view, 1> names = {"claim"};
    static auto fields(auto& all) {
        auto& [claim] = all;
        return std::tie(claim);
    }
};
template <>
struct Recorded<model::DeviceClaimGone> {
    static constexpr std::array<std::string_view, 2> names = {"ns", "name"};
    static auto fields(auto& all) {
        auto& [ns, name] = all;
        return std::tie(ns, name);
    }
};
template <>
struct Recorded<model::DeviceTemplateSeen> {
    static constexpr std::array<std::string_view, 1> names = {"claimTemplate"};
    static auto fields(auto& all) {
        auto& [claim_template] = all;
        return std::tie(claim_template);
    }
};
template <>
struct Recorded<model::DeviceTemplateGone> {
    static constexpr std::array<std::string_view, 2> names = {"ns", "name"};
    static auto fields(auto& all) {
        auto& [ns, name] = all;
        return std::tie(ns, name);
    }
};

}  // namespace echelon::replay

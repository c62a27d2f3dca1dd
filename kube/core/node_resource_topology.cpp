#include "kube/core/node_resource_topology.hpp"

#include "kube/core/quantity.hpp"
#include "kube/json/quoted_text.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

// Far more than a machine or the kubelet has.
constexpr Bound zone_bound{64, "zones that one node may have"};
constexpr Bound resource_of_zone_bound{256, "resources that one zone may have"};

std::int64_t read_amount(const Field& resource, std::string_view key, std::string_view name) {
    const Field quantity = resource.at(key);
    if (!quantity.exists()) {
        quantity.fault().note_missing(quantity.path());
        return 0;
    }
    const auto amount = read_quantity(quantity.value(), unit_of(name));
    if (!amount) {
        quantity.wrong(amount.error().sentence);
        return 0;
    }
    return *amount;
}

model::Zone read_zone(const Field& field) {
    model::Zone zone;
    zone.name = field.required_text("name");
    for (const Field& resource : field.at("resources").items(resource_of_zone_bound)) {
        const std::string name = resource.required_text("name");
        zone.allocatable.set(name, read_amount(resource, "allocatable", name));
        zone.available.set(name, read_amount(resource, "available", name));
    }
    return zone;
}

// Each of the older words names a policy and a scope.
void read_policies(const Field& object, model::NodeZones& zones) {
    for (const Field& policy : object.at("topologyPolicies").items()) {
        const std::string word = policy.text();
        const bool is_of_pod = word == "SingleNUMANodePodLevel";
        if (!is_of_pod && word != "SingleNUMANodeContainerLevel")
            continue;
        zones.is_single_numa_node = true;
        zones.scope = is_of_pod ? model::ZoneScope::pod : model::ZoneScope::container;
    }
}

constexpr std::string_view policies[] = {"", "none", "best-effort", "restricted", "single-numa-node"};
constexpr std::string_view scopes[] = {"", "container", "pod"};

void check_value(const Field& attribute, std::span<const std::string_view> known, std::string_view what) {
    const std::string value = attribute.text("value");
    if (std::ranges::find(known, value) == known.end())
        attribute.wrong("value", fmt::format("{} isn't {} of a topology manager", shown(value), what));
}

void read_attributes(const Field& object, model::NodeZones& zones) {
    for (const Field& attribute : object.at("attributes").items()) {
        const std::string name = attribute.required_text("name");
        const std::string value = attribute.text("value");
        if (name == "topologyManagerPolicy") {
            check_value(attribute, policies, "a policy");
            zones.is_single_numa_node = value == "single-numa-node";
        } else if (name == "topologyManagerScope") {
            check_value(attribute, scopes, "a scope");
            zones.scope = value == "pod" ? model::ZoneScope::pod : model::ZoneScope::container;
        }
    }
}

}  // namespace

model::NodeZones read_node_resource_topology(const Field& object, const Metadata& metadata) {
    model::NodeZones zones;
    zones.node = metadata.name;
    read_policies(object, zones);
    read_attributes(object, zones);
    for (const Field& zone : object.at("zones").items(zone_bound)) {
        if (zone.text("type") == "Node")
            zones.zones.push_back(read_zone(zone));
    }
    return zones;
}

}  // namespace echelon::kube

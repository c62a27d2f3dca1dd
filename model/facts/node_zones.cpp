#include "model/facts/node_zones.hpp"

#include "model/facts/host_ports.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace echelon::model {

namespace {

constexpr std::int64_t whole_cpu = 1000;

bool is_memory(std::string_view resource) {
    return resource == "memory" || resource.starts_with("hugepages-");
}

// A resource that no zone can ever give is not aligned on this node: its manager is off, or its device is elsewhere.
bool is_given_by_zones(const NodeZones* zones, std::string_view resource) {
    return zones == nullptr ||
           std::ranges::any_of(zones->zones, [&](const Zone& zone) { return zone.allocatable.of(resource) > 0; });
}

// What the kubelet aligns of the requests of one container. Null: on a node whose zones give everything.
Amounts aligned(const Amounts& requests, bool is_guaranteed, const NodeZones* zones) {
    Amounts out;
    for (const auto& [resource, amount] : requests.entries()) {
        const bool is_aligned = resource == "cpu" ? is_guaranteed && amount % whole_cpu == 0
                                : is_memory(resource)
                                    ? is_guaranteed
                                    : resource != "pods" && resource != "ephemeral-storage" && !is_host_port(resource);
        if (amount > 0 && is_aligned && is_given_by_zones(zones, resource))
            out.set(resource, amount);
    }
    return out;
}

// All containers together, or at most what one init container takes with the sidecars before it.
Amounts aligned_together(const Alignment& alignment, const NodeZones* zones) {
    Amounts together;
    Amounts sidecars;
    Amounts starting;
    for (const ContainerRequest& container : alignment.containers) {
        const Amounts requests = aligned(container.requests, alignment.is_guaranteed, zones);
        if (container.kind == ContainerRequest::Kind::init) {
            Amounts moment = sidecars;
            moment.add(requests);
            starting.raise_to(moment);
            continue;
        }
        together.add(requests);
        if (container.kind == ContainerRequest::Kind::sidecar)
            sidecars.add(requests);
    }
    together.raise_to(starting);
    return together;
}

}  // namespace

ZoneParts zone_parts(const Amounts& requests, const Alignment& alignment, const NodeZones& zones) {
    ZoneParts parts;
    const auto add = [&parts](Amounts part) {
        if (!part.empty())
            parts.push_back(std::move(part));
    };
    if (alignment.containers.empty()) {
        add(aligned(requests, alignment.is_guaranteed, &zones));
    } else if (zones.scope == ZoneScope::pod) {
        add(aligned_together(alignment, &zones));
    } else {
        for (const ContainerRequest& container : alignment.containers) {
            if (container.kind != ContainerRequest::Kind::init)
                add(aligned(container.requests, alignment.is_guaranteed, &zones));
        }
    }
    std::ranges::sort(parts);
    return parts;
}

Amounts aligned_together(const Amounts& requests, const Alignment& alignment) {
    return alignment.containers.empty() ? aligned(requests, alignment.is_guaranteed, nullptr)
                                        : aligned_together(alignment, nullptr);
}

}  // namespace echelon::model

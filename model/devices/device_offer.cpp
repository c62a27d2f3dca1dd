// What do the devices of a node add to its amounts?

#include "model/devices/device_index.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace echelon::model {

namespace {

constexpr std::int64_t enough = 1'000'000;  // For any number of pods on a node.

// None of the kinds can take it, whether it is taken or not.
bool is_out_of_reach(const auto& device, KindSet kinds) {
    return device.is_blocked || (device.kinds & kinds & ~device.hidden) == 0;
}

}  // namespace

void DeviceIndex::Offer::add(const std::string& name, std::int64_t devices, std::int64_t of_claims) {
    if (devices > 0)
        all.add(name, devices);
    if (of_claims > 0)
        taken.add(name, of_claims);
}

// Devices behind an extended resource are counted by the pods' own requests for it.
bool DeviceIndex::is_claimed(const DeviceCatalog::NodeDevice& device, std::uint32_t kind,
                             const std::string& resource) const {
    if (device.taken > device.taken_by_extended)
        return true;
    const std::string_view taker = device.taken_by_class;
    if (device.taken == 0 || taker.empty() || taker == kinds_.key_of(kind).device_class)
        return false;
    const auto known = classes_.find(std::string(taker));
    return known == classes_.end() || known->second.extended_resource != resource;
}

void DeviceIndex::offer_extended(const DeviceCatalog::NodeDevices& here, const Amounts& plugin, Offer& offer) const {
    for (const auto& entry : counting_.extended) {
        const auto& [kind, resource] = entry;
        if (plugin.of(resource) > 0)
            continue;
        std::int64_t all = 0;
        std::int64_t used = 0;
        for (const auto& device : here.devices) {
            if ((device.kinds & bit(kind)) == 0)
                continue;
            ++all;
            used += is_out_of_reach(device, bit(kind)) || is_claimed(device, kind, resource) ? 1 : 0;
        }
        offer.add(resource, all, used);
    }
}

DeviceIndex::Offer DeviceIndex::offer_of(const std::string& node, const Amounts& plugin) const {
    Offer offer;
    const auto here = catalog_.on(node);
    if (here.devices.empty() && counting_.joint.empty())
        return offer;
    const auto count = [&](KindSet kinds, auto counts) {
        return std::ranges::count_if(here.devices,
                                     [&](const auto& device) { return (device.kinds & kinds) != 0 && counts(device); });
    };
    const auto any = [](const auto&) { return true; };
    // Those that none of the kinds can take now.
    const auto count_used = [&](KindSet kinds) {
        return count(kinds, [&](const auto& device) { return device.taken > 0 || is_out_of_reach(device, kinds); });
    };
    for (const auto& set : counting_.sets)
        offer.add(set.name, count(set.kinds, any), count_used(set.kinds));
    for (const auto& set : counting_.joint) {
        std::int64_t of_plugins = 0;  // Pods may ask for these, too.
        for (const auto& resource : resources_of(set.kinds, counting_))
            of_plugins += plugin.of(resource);
        offer.add(set.name, count(set.kinds, any) + of_plugins, count_used(set.kinds));
    }
    for (const auto& [kind, name] : counting_.for_all) {
        if ((here.never_all & bit(kind)) == 0 && count(bit(kind), any) > 0)
            offer.add(name, 1, count_used(bit(kind)) > 0 ? 1 : 0);
    }
    for (const auto& [kind, name] : counting_.for_admin)
        offer.add(name, count(bit(kind), any) > 0 ? enough : 0, 0);
    if (counting_.has_choices_of_all && !here.devices.empty() && !here.lacks_slices)
        offer.all.add(complete_pools, enough);
    offer_extended(here, plugin, offer);
    return offer;
}

}  // namespace echelon::model

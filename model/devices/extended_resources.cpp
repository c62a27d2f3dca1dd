// Which classes serve extended resources, and what is counted for these? (DR6)
//
// On each node that offers no such resource by a device plugin, kube-scheduler makes a claim for the pod's extended
// resources.

#include "model/devices/extended_resources.hpp"

#include "model/devices/device_index.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace echelon::model {

namespace {

constexpr std::string_view class_prefix = "deviceclass.resource.kubernetes.io/";

}  // namespace

std::optional<std::string_view> class_in(std::string_view resource) {
    if (!resource.starts_with(class_prefix))
        return std::nullopt;
    return resource.substr(class_prefix.size());
}

// Of classes with one extended resource kube-scheduler uses the newest, and of equally old ones the first by name.
const DeviceClass* DeviceIndex::class_of(std::string_view resource) const {
    if (const auto name = class_in(resource)) {
        const auto known = classes_.find(std::string(*name));
        return known == classes_.end() ? nullptr : &known->second;
    }
    const DeviceClass* newest = nullptr;
    for (const auto& [name, device_class] : classes_) {
        const bool is_newer = newest == nullptr || device_class.created > newest->created;
        if (!resource.empty() && device_class.extended_resource == resource && is_newer)
            newest = &device_class;
    }
    return newest;
}

bool DeviceIndex::concerns(const PodSeen& event) const {
    const auto is_backed = [this](const Amounts::Entry& entry) {
        return entry.second > 0 && (class_in(entry.first) || class_of(entry.first) != nullptr);
    };
    return !event.claims.empty() || std::ranges::any_of(event.pod.pod_class.requests.entries(), is_backed);
}

// Every class also has an implicit resource, which nodes offer while pods ask for it.
void DeviceIndex::add_extended(Counting& counting) const {
    for (const auto& [name, device_class] : classes_) {
        const auto kind = kinds_.find(key_of(device_class, nullptr));
        if (!kind)
            continue;
        if (class_of(device_class.extended_resource) == &device_class)
            counting.extended.emplace_back(*kind, device_class.extended_resource);
        if (auto own = std::string(class_prefix) + name; asked_resources_.contains(own))
            counting.extended.emplace_back(*kind, std::move(own));
    }
    for (const auto& set : counting.sets) {
        std::string words;
        std::size_t ways = 0;
        for (const auto& [kind, resource] : counting.extended) {
            if ((set.kinds & bit(kind)) == 0 || !asked_resources_.contains(resource))
                continue;
            words += (words.empty() ? ", also as " : ", ") + resource;
            ++ways;
        }
        for (auto rest = set.kinds; rest != 0; rest &= rest - 1)
            ways += asked_.find(kinds_.key_of(static_cast<std::uint32_t>(std::countr_zero(rest)))) == nullptr ? 0U : 1U;
        if (!words.empty() && ways > 1 && !catalog_.takers(set.kinds).empty())
            counting.joint.push_back({.kinds = set.kinds, .name = set.name + words});
    }
}

// kube-scheduler allocates the claim before it binds the pod.
void DeviceIndex::note_served(const DeviceClaim& claim, bool comes, Delta& delta) {
    if (claim.pod.empty() || !claim.allocation)
        return;
    if (comes) {
        served_pods_.insert(claim.pod);
    } else {
        served_pods_.erase(claim.pod);
    }
    if (pods_.contains(claim.pod))
        delta.pods.insert(claim.pod);
}

std::set<std::string> DeviceIndex::resources_of(KindSet kinds, const Counting& counting) {
    std::set<std::string> resources;
    for (const auto& [kind, resource] : counting.extended) {
        if ((kinds & bit(kind)) != 0)
            resources.insert(resource);
    }
    return resources;
}

}  // namespace echelon::model

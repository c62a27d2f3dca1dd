// Devices of nodes, and the claims of pods that ask for them. Drivers publish slices; a controller makes a claim for
// each pod, and ends it with the pod.

#include "unit-tests/simulator/tenants.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::simulator {

// Some gangs ask for devices instead of the resource of a device plugin. Their late members have a template: without
// one no devices are held for claims (docs/limits.md).
void Tenants::ask_by_claims(Gang& gang) {
    const auto lacks_template = [](const auto& group) { return group.start_set && !group.late_pod_class; };
    if (!world_.api.has_devices || std::ranges::any_of(gang.groups, lacks_template) || devices_.chance(300))
        return;
    const auto ask = [](model::PodClass pod_class) {
        const auto amount = pod_class.requests.of(gpu);
        pod_class.requests = {{"cpu", 1000}, {"pods", 1}, {device, amount}};
        return pod_class;
    };
    for (auto& pod : gang.pods)
        pod.pod_class = ask(pod.pod_class);
    for (auto& group : gang.groups) {
        if (group.late_pod_class)
            group.late_pod_class = ask(*group.late_pod_class);
    }
}

void Tenants::add_devices(const model::Node& node) {
    if (!world_.api.has_devices)
        return world_.api.put(node);
    auto with_devices = node;
    with_devices.allocatable.set(device, gpus_);
    world_.api.put(with_devices);
    model::DeviceSlice slice;
    slice.name = slice.pool = slice.node = node.name;
    slice.driver = device_driver;
    for (std::int64_t each = 0; each < gpus_; ++each)
        slice.devices.emplace_back().name = fmt::format("gpu-{}", each);
    world_.clock.after(Time{devices_.between(0, 300)}, [this, slice] {
        if (world_.api.truth().nodes.contains(slice.node))
            world_.api.put(slice);
    });
}

void Tenants::create_claim(const model::Pod& pod) {
    if (claim_of(pod).empty())
        return;
    world_.clock.after(Time{devices_.between(3, devices_.chance(100) ? 3000 : 30)}, [this, pod] {
        const auto* there = world_.api.truth().pod(pod.uid);
        if (there == nullptr || there->is_finished())
            return;
        model::DeviceClaim claim;
        claim.ns = pod.ns;
        claim.name = claim_of(pod).substr(claim_of(pod).find('/') + 1);
        claim.uid = world_.api.fresh_uid(claim.name);
        claim.demand = demand_of(pod.pod_class.requests.of(device));
        world_.api.put(claim);
    });
}

void Tenants::end_claim(const model::Pod& pod) {
    if (claim_of(pod).empty())
        return;
    const bool is_gone = !pod.is_finished();
    world_.clock.after(Time{devices_.between(3, 300)}, [this, pod, is_gone] {
        if (is_gone || world_.api.truth().pod(pod.uid) == nullptr) {
            world_.api.remove_claim(claim_of(pod));
        } else {
            world_.api.deallocate(pod);
        }
    });
}

}  // namespace echelon::simulator

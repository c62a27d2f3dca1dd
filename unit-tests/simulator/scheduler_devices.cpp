// What kube-scheduler does about the devices of claims, beside filtering.

#include "unit-tests/simulator/scheduler.hpp"

namespace echelon::simulator {

// Devices that become free may help every pod; other news of a claim, its own pod alone.
void Scheduler::hear_of(const model::DeviceClaim& claim) {
    const auto name = claim.ns + "/" + claim.name;
    const auto before = view_.claims.find(name);
    const bool is_freed = before != view_.claims.end() && before->second.allocation && !claim.allocation;
    view_.apply(model::DeviceClaimSeen{claim});
    if (is_freed)
        return move_parked(false);
    for (auto& [uid, entry] : entries_) {
        const auto* pod = view_.pod(uid);
        if (entry.place == Place::parked && pod != nullptr && claim_of(*pod) == name)
            move(entry);
    }
    cycle_soon();
}

// As the PostFilter of the plugin for devices does.
void Scheduler::take_devices_back(const model::Pod& pod) {
    world_.clock.after(Time{world_.random.between(0, 3)}, [this, uid = pod.uid] {
        const auto* there = world_.api.truth().pod(uid);
        if (there != nullptr && there->node.empty() && !assumed_.contains(uid))
            world_.api.deallocate(*there);
    });
}

}  // namespace echelon::simulator
